import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtSession;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;

/** Images a second of an ONNX file in ONNX Runtime: OnnxSpeed FILE BATCH BATCHES. Median of 5 rounds after one. */
public final class OnnxSpeed {

    private OnnxSpeed() {}

    public static void main(String[] args) throws Exception {
        int batch = Integer.parseInt(args[1]);
        int batches = Integer.parseInt(args[2]);
        float[] values = new float[batch * 3 * 32 * 32];
        SplittableRandom random = new SplittableRandom(0);
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) random.nextDouble(-1, 1);
        }
        OrtEnvironment environment = OrtEnvironment.getEnvironment();
        OrtSession.SessionOptions options = new OrtSession.SessionOptions();
        options.setIntraOpNumThreads(Runtime.getRuntime().availableProcessors());
        try (OrtSession session = environment.createSession(args[0], options);
                OnnxTensor images =
                        OnnxTensor.createTensor(environment, FloatBuffer.wrap(values), new long[] {batch, 3, 32, 32})) {
            double[] rates = new double[6];
            for (int round = 0; round < rates.length; round++) {
                long start = System.nanoTime();
                for (int i = 0; i < batches; i++) {
                    session.run(Map.of("images", images)).close();
                }
                rates[round] = batch * batches * 1e9 / (System.nanoTime() - start);
            }
            double[] measured = Arrays.copyOfRange(rates, 1, rates.length);
            Arrays.sort(measured);
            System.out.printf("%.1f images/s%n", measured[2]);
        }
    }
}
