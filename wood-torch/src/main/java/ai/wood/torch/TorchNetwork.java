package ai.wood.torch;

import ai.wood.Classifier;
import ai.wood.Head;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.data.Image;
import ai.wood.data.Shape;
import ai.wood.torch.Architecture.Activations;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch.MemoryFormat;
import org.jspecify.annotations.Nullable;

/**
 * A trained network that runs on libtorch.
 *
 * <p>Images are cut into micro-batches, which run side by side on one native thread each, and on a GPU one after another
 * on the calling thread; convolutions and the normalisations behind them run as one layer. An image's outputs do not
 * depend on the images beside it.
 */
public final class TorchNetwork implements Classifier<Image> {

    private static final int MAX_FLOATS = 1 << 24; // in a micro-batch: 111 photographs of 224 x 224
    private static final String LOGITS = "/logits";
    private static final String FEATURES = "/features";
    private static final String BRANCH = "/branch/";

    private final Architecture architecture;
    private final Weights weights;
    private final FoldedNorms folded;
    private final Optional<Head> head;
    private final InferenceOptions options;
    private boolean closed;
    private final @Nullable ExecutorService workers; // none on a GPU: cuDNN would look for its algorithms on each anew

    /** Takes over the weights, which must not change any more and are freed when the network is closed. */
    public TorchNetwork(Architecture architecture, Weights weights, InferenceOptions options) {
        this.architecture = architecture;
        this.weights = weights;
        this.folded = FoldedNorms.of(weights, options.precision());
        this.head = weights.layout().head().map(name -> head(weights, name));
        this.options = options;
        Devices.await(options.device()); // other threads have queues of their own
        this.workers = options.device().is_cpu() ? workers(options.threads()) : null;
    }

    private static ExecutorService workers(int threads) {
        return Executors.newFixedThreadPool(threads, task -> {
            Thread thread = new Thread(
                    () -> {
                        Engine.threads(1);
                        task.run();
                    },
                    "wood-network");
            thread.setDaemon(true);
            return thread;
        });
    }

    @Override
    public boolean hasInputGradient() {
        return true;
    }

    @Override
    public Outputs classify(List<Image> images) {
        return run(images, false);
    }

    /** Outputs with layers, in one pass: the mean of each channel of the maps that the network shows, by block. */
    @Override
    public Outputs classifyDetailed(List<Image> images) {
        return run(images, true);
    }

    @Override
    public Optional<Head> head() {
        return head;
    }

    private static Head head(Weights weights, String name) {
        Tensor matrix = weights.view(name + ".weight");
        Tensor bias = weights.view(name + ".bias");
        return new Head(
                Matrix.wrap(Tensors.floats(matrix), (int) matrix.size(1)),
                Matrix.wrap(Tensors.floats(bias), (int) bias.size(0)));
    }

    private Outputs run(List<Image> images, boolean detailed) {
        Map<String, List<float[]>> parts = new LinkedHashMap<>();
        for (Map<String, float[]> part : onParts(images, input -> rows(input, detailed))) {
            part.forEach((name, rows) ->
                    parts.computeIfAbsent(name, n -> new ArrayList<>()).add(rows));
        }
        Map<String, float[]> all = new LinkedHashMap<>();
        parts.forEach((name, rows) -> all.put(name, joined(rows)));
        return outputs(all, images.size());
    }

    private static float[] joined(List<float[]> parts) {
        float[] whole = new float
                [Math.toIntExact(parts.stream().mapToLong(part -> part.length).sum())];
        int done = 0;
        for (float[] part : parts) {
            System.arraycopy(part, 0, whole, done, part.length);
            done += part.length;
        }
        return whole;
    }

    @SuppressWarnings("NullAway") // every part has logits and features
    private static Outputs outputs(Map<String, float[]> all, int count) {
        Map<String, Matrix> layers = new LinkedHashMap<>();
        Map<String, Matrix> branches = new LinkedHashMap<>();
        all.forEach((name, values) -> {
            Matrix matrix = Matrix.wrap(values, values.length / count);
            if (name.startsWith(BRANCH)) {
                branches.put(name.substring(BRANCH.length()), matrix);
            } else {
                layers.put(name, matrix);
            }
        });
        return Outputs.ofLogits(layers.remove(LOGITS))
                .withFeatures(layers.remove(FEATURES))
                .withLayers(layers)
                .withBranches(branches);
    }

    /** Applies work to images, one micro-batch after another on each thread, in native scopes. */
    <T> List<T> onParts(List<Image> images, Function<Tensor, T> work) {
        if (images.isEmpty()) {
            throw new IllegalArgumentException("a network needs at least one image");
        }
        List<Supplier<T>> parts = new ArrayList<>();
        int size = partSize(images.size(), images.get(0).shape());
        for (int start = 0; start < images.size(); start += size) {
            List<Image> part = images.subList(start, Math.min(images.size(), start + size));
            parts.add(() -> NativeScope.call(() -> work.apply(tensor(part))));
        }
        return workers == null ? parts.stream().map(this::inTurn).toList() : sideBySide(parts, workers);
    }

    /** Callers take turns, so that the memory of one micro-batch is enough. */
    private synchronized <T> T inTurn(Supplier<T> part) {
        if (closed) {
            throw isClosed();
        }
        return part.get();
    }

    private static IllegalStateException isClosed() {
        return new IllegalStateException("the network is closed");
    }

    private static <T> List<T> sideBySide(List<Supplier<T>> parts, ExecutorService workers) {
        List<Future<T>> tasks = new ArrayList<>();
        try {
            parts.forEach(part -> tasks.add(workers.submit(part::get)));
            return tasks.stream().map(TorchNetwork::await).toList();
        } catch (RejectedExecutionException e) {
            throw isClosed();
        } finally {
            tasks.forEach(task -> task.cancel(false)); // after a failure; the others are done
        }
    }

    /** Images in a micro-batch, such that a small batch has one for every thread, and large images fit into memory. */
    private int partSize(int count, Shape shape) {
        int fair = Math.min(options.microBatch(), (count + options.threads() - 1) / options.threads());
        return Math.max(1, Math.min(fair, MAX_FLOATS / shape.length()));
    }

    /** What the network says about a batch of normalised images, derivable by them where they ask for it. */
    Activations activations(Pass pass, Tensor input) {
        try {
            return options.precision().run(options.device(), () -> architecture.forward(pass, input));
        } catch (IllegalArgumentException e) {
            throw e;
        } catch (RuntimeException e) { // libtorch's, with a native stack trace in the message
            String reason = reason(String.valueOf(e.getMessage()));
            boolean ofSize = reason.contains("size") || reason.contains("shape");
            throw new IllegalArgumentException(
                    architecture + " failed on images of " + input.size(1) + "x" + input.size(2) + "x" + input.size(3)
                            + ": " + reason + (ofSize ? ". Maybe it needs images of another size." : ""),
                    e);
        }
    }

    /** The first line, or where a script's own stack trace comes first, the line after it. */
    private static String reason(String message) {
        return message.lines()
                .filter(line -> line.startsWith("RuntimeError: "))
                .findFirst()
                .or(() -> message.lines().findFirst())
                .orElse("");
    }

    /** An evaluation pass of this network. */
    Pass pass() {
        return Pass.evaluation(weights, folded);
    }

    InferenceOptions options() {
        return options;
    }

    /** The outputs of a batch of normalised images. */
    Outputs outputs(Tensor input) {
        return outputs(rows(input, false), (int) input.size(0));
    }

    private Map<String, float[]> rows(Tensor input, boolean detailed) {
        return NativeScope.callWithoutGradients(() -> {
            Pass pass = pass();
            Activations activations = activations(pass, input);
            Map<String, float[]> rows = new LinkedHashMap<>();
            rows.put(LOGITS, Tensors.floats(activations.logits()));
            rows.put(FEATURES, Tensors.floats(activations.features()));
            activations.branches().forEach((name, branch) -> rows.put(BRANCH + name, Tensors.floats(branch)));
            if (detailed) {
                pass.intermediates().forEach((name, map) -> rows.put(name, Tensors.floats(pass.globalPool(map))));
            }
            return rows;
        });
    }

    private Tensor tensor(List<Image> images) {
        Shape shape = images.get(0).shape();
        float[] values = new float[images.size() * shape.length()];
        for (int i = 0; i < images.size(); i++) {
            Image image = images.get(i);
            if (!image.shape().equals(shape)) {
                throw new IllegalArgumentException(
                        "images of one batch must have one shape but there are " + shape + " and " + image.shape());
            }
            options.normalise().write(image, values, i * shape.length());
        }
        return Tensors.of(values, options.device(), images.size(), shape.channels(), shape.height(), shape.width())
                .contiguous(MemoryFormat.ChannelsLast);
    }

    private static <T> T await(Future<T> part) {
        try {
            return part.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException exception) {
                throw exception;
            }
            throw new IllegalStateException("a micro-batch failed", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the network ran", e);
        }
    }

    /** Ends the threads, once they have done what was asked of them, and frees the weights. */
    @Override
    public void close() {
        boolean interrupted = workers != null && ended(workers);
        free();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void free() {
        closed = true;
        folded.close();
        weights.close();
    }

    /** Ends the threads, which need the weights to their ends; whether the caller was interrupted meanwhile. */
    private static boolean ended(ExecutorService workers) {
        workers.shutdown();
        boolean interrupted = false;
        while (true) {
            try {
                if (workers.awaitTermination(1, TimeUnit.HOURS)) {
                    return interrupted;
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
    }
}
