package ai.wood.onnx;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OnnxValue;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtLoggingLevel;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.OrtSession.RunOptions;
import ai.wood.Head;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Probabilities;
import ai.wood.data.Image;
import ai.wood.data.Network;
import ai.wood.data.Shape;
import ai.wood.data.transform.Fit;
import ai.wood.data.transform.Normalise;
import ai.wood.onnx.OnnxGraph.LastLayer;
import ai.wood.onnx.OnnxOptions.Layout;
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
 * <p>Images of any shape are fitted to the one it takes. A file that takes batches of one size only gets them, filled up. May be
 * used by several threads at once; closing waits for those that are still reading an answer.
 */
public final class OnnxNetwork implements Network {

    private static final int MICRO_BATCH = 4; // stays in the processor's caches
    private static final int MAX_FLOATS = 1 << 26;

    /** For a command line as long as Linux lets it be; only what is used takes memory. */
    private static final long STACK = 1L << 29;

    /** For the first image that a network is shown; ten times as long where the batch that it fills is as large as may be. */
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
        this.batch = filled
                ? fixed
                : Math.max(1, Math.min(MICRO_BATCH, MAX_FLOATS / options.shape().length()));
    }

    /**
     * Opens a file by what it tells about itself; see {@link OnnxFile#options}.
     *
     * @throws IOException where it is no ONNX file, no classifier of images, or does not tell enough
     */
    public static OnnxNetwork open(Path file) throws IOException {
        OnnxFile read = OnnxFile.read(file);
        return of(read, read.options(null));
    }

    /**
     * Opens a file that is in memory. The network is shown one black image, so that what it says can be checked.
     *
     * @throws IOException where the options are not those of a classifier in it
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
     * ONNX Runtime, which keeps quiet: what is wrong comes as an exception. When it starts, it goes through the command
     * line of the process by a recursion that needs some 300 bytes of stack for each character: an ordinary thread would
     * crash where there are many arguments or the class path is long.
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

    /** The size that every batch must have; 0 for any. */
    private static int batch(OnnxGraph graph, OnnxOptions options) {
        wanted(options).forEach(graph::require);
        long[] dimensions = OnnxGraph.dimensions(graph.input(options.input()));
        Shape shape = options.shape();
        long[] used = extents(0, options);
        for (int i = 1; i < used.length; i++) {
            if (dimensions[i] != 0 && dimensions[i] != used[i]) {
                throw new IllegalArgumentException("images of " + shape + " do not fit the input '" + options.input()
                        + "'. Maybe the layout is not " + options.layout() + ", or the size is another.");
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

    /** Refuses a network whose answer to one image is none, or does not come. */
    private void check(Duration patience) throws OrtException {
        Shape shape = options.shape();
        long floats = (filled ? (long) batch : 1) * shape.length();
        Duration enough = patience.multipliedBy(MAX_FLOATS + 9 * floats).dividedBy(MAX_FLOATS);
        Outputs said = forward(List.of(Image.wrap(shape, new byte[shape.length()])), enough);
        if (!options.classes().isEmpty() && options.classes().size() != said.classes()) {
            throw new IllegalArgumentException("the output '" + options.output() + "' must be "
                    + options.classes().size() + " classes wide but is " + said.classes());
        }
        if (!options.logits()) {
            Probabilities.check(said.probabilities(0));
        }
        head.filter(layer -> layer.features() != said.features().columns()).ifPresent(layer -> {
            throw new IllegalArgumentException("the last layer reads " + layer.features() + " features but '"
                    + options.features() + "' holds " + said.features().columns());
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

    /** Gives up after some time: a graph may hold a loop without an end. */
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
                watch.join(); // it may just be at work
            }
        }
    }

    private static void terminate(RunOptions run) {
        try {
            run.setTerminate(true);
        } catch (OrtException e) {
            throw new IllegalStateException("ONNX Runtime could not be told to stop", e);
        }
    }

    @Override
    public Outputs forward(List<Image> images) {
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

    /** What the network says about as many images as it takes at once, by name, a row for each image. */
    private Map<String, float[]> run(List<Image> images, RunOptions how) throws OrtException {
        int size = filled ? batch : images.size();
        FloatBuffer values = FloatBuffer.wrap(values(images, size));
        Map<String, float[]> rows = new LinkedHashMap<>();
        try (OnnxTensor input = OnnxTensor.createTensor(environment, values, extents(size, options));
                OrtSession.Result said = session.run(Collections.singletonMap(options.input(), input), how)) {
            for (Map.Entry<String, OnnxValue> entry : said) {
                rows.put(entry.getKey(), rows(entry.getKey(), entry.getValue(), size, images.size()));
            }
        }
        return rows;
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

    /** The rows of a value, without those of images that only filled the batch up; maps become the means of their channels. */
    private float[] rows(String value, OnnxValue said, int size, int wanted) {
        FloatBuffer floats = said instanceof OnnxTensor tensor ? tensor.getFloatBuffer() : null; // a copy
        if (floats == null) {
            throw new IllegalArgumentException("'" + value + "' must hold floats but holds " + said.getInfo());
        }
        long[] extents = ((OnnxTensor) said).getInfo().getShape();
        if (extents.length < 2 || extents[0] != size) {
            throw new IllegalArgumentException(
                    "'" + value + "' must have a row for each image but is " + Arrays.toString(extents));
        }
        float[] rows = new float[Math.toIntExact((long) floats.remaining() / size * wanted)];
        floats.get(rows);
        return extents.length == 4 ? means(rows, wanted, extents, layouts.get(value) == Layout.NCHW) : rows;
    }

    private static float[] means(float[] maps, int count, long[] extents, boolean nchw) {
        int channels = (int) extents[nchw ? 1 : 3];
        int area = maps.length / count / channels;
        float[] means = new float[count * channels];
        for (int i = 0; i < means.length; i++) {
            int start = nchw ? i * area : i / channels * channels * area + i % channels;
            double sum = 0;
            for (int p = 0; p < area; p++) {
                sum += maps[start + p * (nchw ? 1 : channels)];
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
