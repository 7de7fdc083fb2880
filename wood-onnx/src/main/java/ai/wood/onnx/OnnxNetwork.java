package ai.wood.onnx;

import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OnnxValue;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtLoggingLevel;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.OrtSession.RunOptions;
import ai.onnxruntime.platform.Fp16Conversions;
import ai.wood.Classifier;
import ai.wood.Head;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Probabilities;
import ai.wood.data.Image;
import ai.wood.data.Shape;
import ai.wood.data.transform.Fit;
import ai.wood.data.transform.Normalise;
import ai.wood.onnx.OnnxGraph.LastLayer;
import ai.wood.onnx.OnnxOptions.Layout;
import ai.wood.onnx.OnnxOptions.Tokens;
import java.io.IOException;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A classifier from an ONNX file, on ONNX Runtime.
 *
 * <p>Images of any shape are resized to the shape of the input. If the input has a fixed batch size, smaller batches are padded.
 * Several threads may use a network at once; {@link #close} waits for calls that are still running.
 */
public final class OnnxNetwork implements Classifier<Image> {

    private static final int MICRO_BATCH = 4; // stays in the processor's caches
    private static final int MAX_FLOATS = 1 << 26;

    /** Enough for the longest command line on Linux; only used pages take memory. */
    private static final long STACK = 1L << 29;

    /** Time limit for the images of the first check; ten times as long for a batch of the largest size. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final String name;
    private final OnnxOptions options;
    private final Normalise normalise;
    private final Fit fit;
    private final Optional<Head> head;
    private final Map<String, Layout> layouts = new HashMap<>();
    private final OrtEnvironment environment;
    private final OrtSession session;
    private final int batch;
    private final boolean filled;
    private final boolean half;
    private final ReadWriteLock closing = new ReentrantReadWriteLock();
    private boolean closed;

    private OnnxNetwork(OnnxFile file, OnnxOptions options, OrtEnvironment environment, OrtSession session, int fixed) {
        this.name = file.toString();
        this.options = options;
        this.normalise = options.normalise();
        this.fit = new Fit(options.shape());
        OnnxGraph graph = file.graph();
        String features = graph.origin(options.features());
        this.head = graph.lastLayer(options.output())
                .filter(layer ->
                        options.logits() && graph.origin(layer.features()).equals(features))
                .map(LastLayer::head);
        wanted(options).forEach(value -> layouts.put(value, graph.layout(value, options.layout())));
        this.environment = environment;
        this.session = session;
        this.filled = fixed > 0;
        this.half = OnnxGraph.isHalf(graph.input(options.input()));
        this.batch = filled
                ? fixed
                : Math.max(1, Math.min(MICRO_BATCH, MAX_FLOATS / options.shape().length()));
    }

    /**
     * Opens a file with its own options; see {@link OnnxFile#options}.
     *
     * @throws IOException if it is not an ONNX file, not a classifier of images, or lacks an option
     */
    public static OnnxNetwork open(Path file) throws IOException {
        OnnxFile read = OnnxFile.read(file);
        return of(read, read.options(null));
    }

    /**
     * Opens a file that is in memory. The network classifies two images, so that its outputs can be checked.
     *
     * @throws IOException if the options do not fit the file
     */
    public static OnnxNetwork of(OnnxFile file, OnnxOptions options) throws IOException {
        return of(file, options, PATIENCE);
    }

    static OnnxNetwork of(OnnxFile file, OnnxOptions options, Duration patience) throws IOException {
        OnnxNetwork network = null;
        try {
            int fixed = batch(file.graph(), options);
            OrtEnvironment environment = runtime();
            OrtSession session = session(file.withOutputs(wanted(options)), environment);
            network = new OnnxNetwork(file, options, environment, session, fixed);
            network.check(patience);
            return network;
        } catch (OrtException | IllegalArgumentException | ArithmeticException e) {
            if (network != null) {
                network.close();
            }
            String reason = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
            throw new IOException(file + ": " + reason.replace(file + ": ", ""), e);
        }
    }

    /**
     * Starts ONNX Runtime without log output, because errors arrive as exceptions. At its start it reads the command line of the
     * process by a recursion that needs about 300 bytes of stack for each character. The stack of an ordinary thread is too
     * small if the class path is long.
     */
    private static OrtEnvironment runtime() {
        Executor roomy = task -> new Thread(null, task, "wood-onnx", STACK).start();
        try {
            return CompletableFuture.supplyAsync(
                            () -> OrtEnvironment.getEnvironment(OrtLoggingLevel.ORT_LOGGING_LEVEL_FATAL), roomy)
                    .join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof LinkageError cause) {
                throw cause;
            }
            throw e;
        }
    }

    /** Checks the options against the graph and returns the size that every batch must have; 0 for any. */
    private static int batch(OnnxGraph graph, OnnxOptions options) {
        wanted(options).forEach(graph::require);
        if (options.logits()) {
            graph.requireLogits(options.output());
        }
        long[] dimensions = OnnxGraph.dimensions(graph.input(options.input()));
        Shape shape = options.shape();
        long[] used = extents(0, options);
        for (int i = 1; i < used.length; i++) {
            if (dimensions[i] != 0 && dimensions[i] != used[i]) {
                throw new IllegalArgumentException("images of " + shape + " do not fit the input '" + options.input()
                        + "'. Check the size, and whether the layout is " + options.layout() + ".");
            }
        }
        if (shape.length() > MAX_FLOATS || dimensions[0] > MAX_FLOATS / shape.length()) {
            throw new IllegalArgumentException("a batch may have at most " + MAX_FLOATS + " values but has "
                    + Math.max(1, dimensions[0]) + " images of " + shape);
        }
        return (int) dimensions[0];
    }

    private static Set<String> wanted(OnnxOptions options) {
        Set<String> names = new LinkedHashSet<>(List.of(options.output()));
        if (!options.features().isEmpty()) {
            names.add(options.features());
        }
        return names;
    }

    private static OrtSession session(OnnxFile file, OrtEnvironment environment) throws OrtException {
        try (OrtSession.SessionOptions settings = new OrtSession.SessionOptions()) {
            settings.setIntraOpNumThreads(Runtime.getRuntime().availableProcessors());
            settings.setSessionLogLevel(OrtLoggingLevel.ORT_LOGGING_LEVEL_FATAL);
            return environment.createSession(file.bytes(), settings);
        }
    }

    /** Classifies a black image and a noisy one, and refuses a network whose outputs are invalid or do not come. */
    private void check(Duration patience) throws OrtException {
        Shape shape = options.shape();
        long floats = (filled ? (long) batch : 1) * shape.length();
        Duration enough = patience.multipliedBy(MAX_FLOATS + 9 * floats).dividedBy(MAX_FLOATS);
        byte[] noise = new byte[shape.length()];
        new SplittableRandom(0).nextBytes(noise);
        List<Image> images = List.of(Image.wrap(shape, new byte[shape.length()]), Image.wrap(shape, noise));
        Outputs outputs = forward(images, enough);
        if (!options.classes().isEmpty() && options.classes().size() != outputs.classes()) {
            throw new IllegalArgumentException("the output '" + options.output() + "' must be "
                    + options.classes().size() + " classes wide but is " + outputs.classes());
        }
        if (!options.logits()) {
            Probabilities.check(outputs.probabilities(0));
        } else if (Probabilities.looksLikeProbabilities(outputs.logits())) {
            throw new IllegalArgumentException(
                    "the output '" + options.output() + "' should contain logits but contains"
                            + " probabilities: no value is negative and every row sums to 1. Use it as probabilities.");
        }
        head.filter(layer -> layer.features() != outputs.features().columns()).ifPresent(layer -> {
            throw new IllegalArgumentException("the last layer reads " + layer.features() + " features but '"
                    + options.features() + "' contains " + outputs.features().columns());
        });
    }

    public OnnxOptions options() {
        return options;
    }

    /** The version of ONNX Runtime. */
    public static String version() {
        return runtime().getVersion();
    }

    @Override
    public Optional<Head> head() {
        return head;
    }

    /** Stops after some time, because a graph may contain an endless loop. */
    private Outputs forward(List<Image> images, Duration patience) throws OrtException {
        try (RunOptions run = new RunOptions()) {
            CompletableFuture<Void> answered = new CompletableFuture<>();
            CompletableFuture<Void> watch = answered.orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS)
                    .exceptionally(late -> {
                        terminate(run);
                        return null;
                    });
            try {
                return forward(images, run);
            } catch (IllegalArgumentException e) {
                throw answered.isCompletedExceptionally()
                        ? new IllegalArgumentException(
                                "the network has not answered within " + patience.toSeconds() + " s", e)
                        : e;
            } finally {
                answered.complete(null);
                watch.join(); // it may be running right now
            }
        }
    }

    private static void terminate(RunOptions run) {
        try {
            run.setTerminate(true);
        } catch (OrtException e) {
            throw new IllegalStateException("ONNX Runtime cannot be stopped", e);
        }
    }

    @Override
    public Outputs classify(List<Image> images) {
        try (RunOptions run = new RunOptions()) {
            return forward(images, run);
        } catch (OrtException e) {
            throw new IllegalStateException("ONNX Runtime cannot run", e);
        }
    }

    private Outputs forward(List<Image> images, RunOptions how) {
        if (images.isEmpty()) {
            throw new IllegalArgumentException("a network needs at least one image");
        }
        closing.readLock().lock();
        try {
            if (closed) {
                throw new IllegalStateException(name + " is closed");
            }
            Map<String, float[]> rows = new LinkedHashMap<>();
            for (int from = 0; from < images.size(); from += batch) {
                List<Image> part = images.subList(from, Math.min(images.size(), from + batch));
                int start = from;
                run(part, how).forEach((value, said) -> put(rows, value, said, start, part.size(), images.size()));
            }
            return outputs(rows, images.size());
        } catch (OrtException e) {
            throw new IllegalArgumentException(
                    name + ": ONNX Runtime failed on images of " + options.shape() + ": " + e.getMessage(), e);
        } finally {
            closing.readLock().unlock();
        }
    }

    private static void put(Map<String, float[]> rows, String value, float[] said, int from, int count, int total) {
        int width = said.length / count;
        float[] whole = rows.computeIfAbsent(value, v -> new float[Math.multiplyExact(total, width)]);
        if (whole.length != (long) total * width) {
            throw new IllegalArgumentException("'" + value + "' must be as wide for every image but is not");
        }
        System.arraycopy(said, 0, whole, from * width, said.length);
    }

    @SuppressWarnings("NullAway") // every batch has all wanted values
    private Outputs outputs(Map<String, float[]> rows, int count) {
        float[] values = rows.get(options.output());
        int classes = values.length / count;
        if (classes < 2) {
            throw new IllegalArgumentException(
                    "the output '" + options.output() + "' must be a number for each class but is " + classes);
        }
        Matrix matrix = Matrix.wrap(values, classes);
        Outputs outputs = options.logits() ? Outputs.ofLogits(matrix) : Outputs.ofProbabilities(matrix);
        if (options.features().isEmpty()) {
            return outputs;
        }
        float[] features = rows.get(options.features());
        return outputs.withFeatures(Matrix.wrap(features, features.length / count));
    }

    /** Runs one batch and returns its values by name, one row for each image. */
    private Map<String, float[]> run(List<Image> images, RunOptions how) throws OrtException {
        int size = filled ? batch : images.size();
        FloatBuffer values = FloatBuffer.wrap(values(images, size));
        Map<String, float[]> rows = new LinkedHashMap<>();
        try (OnnxTensor input = tensor(values, extents(size, options));
                OrtSession.Result said = session.run(Collections.singletonMap(options.input(), input), how)) {
            for (Map.Entry<String, OnnxValue> entry : said) {
                rows.put(entry.getKey(), rows(entry.getKey(), entry.getValue(), size, images.size()));
            }
        }
        return rows;
    }

    private OnnxTensor tensor(FloatBuffer values, long[] extents) throws OrtException {
        return half
                ? OnnxTensor.createTensor(
                        environment,
                        Fp16Conversions.convertFloatBufferToFp16Buffer(values),
                        extents,
                        OnnxJavaType.FLOAT16)
                : OnnxTensor.createTensor(environment, values, extents);
    }

    private static long[] extents(long count, OnnxOptions options) {
        Shape shape = options.shape();
        return options.layout() == Layout.NCHW
                ? new long[] {count, shape.channels(), shape.height(), shape.width()}
                : new long[] {count, shape.height(), shape.width(), shape.channels()};
    }

    private float[] values(List<Image> images, int size) {
        int length = options.shape().length();
        float[] values = new float[size * length];
        SplittableRandom unused = new SplittableRandom(0);
        for (int i = 0; i < images.size(); i++) {
            normalise.write(fit.apply(images.get(i), unused), values, i * length);
        }
        return options.layout() == Layout.NCHW ? values : channelsLast(values);
    }

    private float[] channelsLast(float[] values) {
        int area = options.shape().area();
        int channels = options.shape().channels();
        float[] turned = new float[values.length];
        for (int i = 0; i < values.length; i++) {
            int image = i / (channels * area);
            int channel = i / area % channels;
            turned[(image * area + i % area) * channels + channel] = values[i];
        }
        return turned;
    }

    /** Returns one row for each image of a value, without the images that only filled the batch. */
    private float[] rows(String value, OnnxValue result, int size, int wanted) {
        FloatBuffer floats = result instanceof OnnxTensor tensor ? tensor.getFloatBuffer() : null; // a copy, as 32 bits
        if (floats == null) {
            throw new IllegalArgumentException("'" + value + "' must contain floats but is " + result.getInfo());
        }
        long[] extents = ((OnnxTensor) result).getInfo().getShape();
        if (extents.length < 2 || extents[0] != size || !floats.hasRemaining()) {
            throw new IllegalArgumentException(
                    "'" + value + "' must have a row for each image but is " + Arrays.toString(extents));
        }
        float[] rows = new float[Math.toIntExact((long) floats.remaining() / size * wanted)];
        floats.get(rows);
        return vectors(value, rows, extents);
    }

    /** Reduces feature maps to the mean of each channel, and tokens to the first one or to their mean. */
    private float[] vectors(String value, float[] rows, long[] extents) {
        return switch (extents.length) {
            case 2 -> rows;
            case 3 -> value.equals(options.output()) ? classes(value, rows, extents) : tokens(rows, extents);
            case 4 -> {
                boolean nchw = layouts.get(value) == Layout.NCHW;
                int channels = (int) extents[nchw ? 1 : 3];
                yield means(rows, channels, (int) (extents[1] * extents[2] * extents[3] / channels), nchw);
            }
            default ->
                throw new IllegalArgumentException(
                        "'" + value + "' must have 2, 3 or 4 dimensions but is " + Arrays.toString(extents));
        };
    }

    private static float[] classes(String value, float[] rows, long[] extents) {
        if (extents[1] != 1 && extents[2] != 1) {
            throw new IllegalArgumentException("the output '" + value + "' must have one number for each class but is "
                    + Arrays.toString(extents));
        }
        return rows;
    }

    private float[] tokens(float[] rows, long[] extents) {
        int count = (int) extents[1];
        int width = (int) extents[2];
        return options.tokens() == Tokens.MEAN ? means(rows, width, count, false) : first(rows, width, count);
    }

    private static float[] first(float[] rows, int width, int tokens) {
        float[] first = new float[rows.length / tokens];
        for (int i = 0; i < first.length; i += width) {
            System.arraycopy(rows, i * tokens, first, i, width);
        }
        return first;
    }

    /** Averages each channel over its {@code area} places. */
    private static float[] means(float[] maps, int channels, int area, boolean channelsFirst) {
        float[] means = new float[maps.length / area];
        for (int i = 0; i < means.length; i++) {
            int start = channelsFirst ? i * area : i / channels * channels * area + i % channels;
            double sum = 0;
            for (int p = 0; p < area; p++) {
                sum += maps[start + p * (channelsFirst ? 1 : channels)];
            }
            means[i] = (float) (sum / area);
        }
        return means;
    }

    /** Frees the native memory, once all answers are given. */
    @Override
    public void close() {
        closing.writeLock().lock();
        try {
            if (!closed) {
                session.close();
                closed = true;
            }
        } catch (OrtException e) {
            throw new IllegalStateException(name + " could not be closed", e);
        } finally {
            closing.writeLock().unlock();
        }
    }

    @Override
    public String toString() {
        return "OnnxNetwork[" + name + "]";
    }
}
