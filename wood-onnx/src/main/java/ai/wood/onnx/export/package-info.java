/**
 * Networks and detectors written as ONNX files. {@link ai.wood.onnx.export.OnnxExport} writes network, score and thresholds as one
 * graph that any ONNX runtime can run.
 */
@NullMarked
package ai.wood.onnx.export;

import org.jspecify.annotations.NullMarked;
