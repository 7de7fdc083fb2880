package ai.wood.onnx.export;

import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OnnxValue;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import java.nio.FloatBuffer;
import java.util.LinkedHashMap;
import java.util.Map;

/** Runs graphs on ONNX Runtime itself, past the code under test. */
final class Runs {

    private Runs() {}

    /** All outputs: arrays of float or boolean, or of rows of them. */
    static Map<String, Object> run(ModelProto model, String input, float[] values, long... extents)
            throws OrtException {
        OrtEnvironment environment = OrtEnvironment.getEnvironment();
        try (OrtSession session = environment.createSession(model.toByteArray());
                OnnxTensor tensor = OnnxTensor.createTensor(environment, FloatBuffer.wrap(values), extents);
                OrtSession.Result said = session.run(Map.of(input, tensor))) {
            Map<String, Object> outputs = new LinkedHashMap<>();
            for (Map.Entry<String, OnnxValue> entry : said) {
                outputs.put(entry.getKey(), entry.getValue().getValue());
            }
            return outputs;
        }
    }
}
