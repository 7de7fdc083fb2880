/**
 * Classifiers from ONNX files. {@link ai.wood.onnx.OnnxFile} reads a file and limits what it may contain. {@link
 * ai.wood.onnx.OnnxOptions} names its inputs and outputs. {@link ai.wood.onnx.OnnxNetwork} runs it on ONNX Runtime.
 */
@NullMarked
package ai.wood.onnx;

import org.jspecify.annotations.NullMarked;
