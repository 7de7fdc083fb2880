/**
 * Networks and detectors written as ONNX files: {@link ai.wood.onnx.export.OnnxExport} puts the network, the score and the
 * thresholds into one graph that any ONNX runtime can run.
 */
@NullMarked
package ai.wood.onnx.export;

import org.jspecify.annotations.NullMarked;
