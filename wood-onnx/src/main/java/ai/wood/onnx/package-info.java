/**
 * Classifiers from ONNX files: {@link ai.wood.onnx.OnnxFile} reads one with distrust, {@link ai.wood.onnx.OnnxOptions} says
 * how images go in and what comes out, {@link ai.wood.onnx.OnnxNetwork} runs it on ONNX Runtime.
 */
@NullMarked
package ai.wood.onnx;

import org.jspecify.annotations.NullMarked;
