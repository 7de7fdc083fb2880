package ai.wood.data;

import ai.wood.Seed;
import ai.wood.data.transform.Transform;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Feeds a network: batches of InD and OOD samples, the next one filled in the background while the last one is used.
 *
 * <pre>{@code
 * try (Loader loader = new Loader(ind, ood, LoaderOptions.training(50, 10))) {
 *     for (int epoch = 0; epoch < epochs; epoch++) {
 *         for (Batch batch : loader.epoch(epoch)) { ... }
 *     }
 * }
 * }</pre>
 *
 * <p>In every epoch InD samples come once each, in an order of that epoch; OOD samples are drawn at random with
 * replacement from the whole OOD set. What a batch holds depends on the seed, the epoch and the step only: not on the
 * number of threads, nor on what was loaded before, so training can resume at any step. Memory: two batches.
 *
 * <p>A loader serves one consumer thread.
 */
public final class Loader implements AutoCloseable {

    /** Tasks a thread gets per batch: more than one, so that a slow image does not leave the others idle. */
    private static final int TASKS_PER_THREAD = 4;

    private final Dataset ind;
    private final @Nullable Dataset ood;
    private final LoaderOptions options;
    private final int steps;
    private final ExecutorService workers;
    private Batch lent;
    private Batch ahead;
    private long aheadPosition = -1;
    private List<Future<?>> filling = List.of();
    private int orderEpoch = -1;
    private IntUnaryOperator order = IntUnaryOperator.identity();
    private int[] choice = {}; // indices of the OOD samples to draw from; empty for all

    /** A loader of InD samples alone. */
    public Loader(Dataset ind, LoaderOptions options) {
        this(ind, null, options);
    }

    /**
     * A loader of InD and OOD samples.
     *
     * @throws IllegalArgumentException where the two do not come out in the same shape, or either is too small
     */
    public Loader(Dataset ind, @Nullable Dataset ood, LoaderOptions options) {
        this.ind = ind;
        this.ood = ood;
        this.options = options;
        Shape shape = check(ind, ood, options);
        this.steps = options.shuffled() ? ind.size() / options.ind() : (ind.size() - 1) / options.ind() + 1;
        long all = (long) options.shard().of(options.ind()) + options.shard().of(options.ood());
        if (all > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("a batch has at most " + Integer.MAX_VALUE + " images but " + all
                    + " are wanted. Maybe use smaller batches.");
        }
        int capacity = (int) all;
        this.lent = new Batch(shape, capacity);
        this.ahead = new Batch(shape, capacity);
        this.workers = Executors.newFixedThreadPool(options.threads(), task -> {
            Thread thread = new Thread(task, "wood-loader");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** The shape in which both come out, where they do and are large enough. */
    static Shape check(Dataset ind, @Nullable Dataset ood, LoaderOptions options) {
        if (ind.size() < (options.shuffled() ? options.ind() : 1)) {
            throw new IllegalArgumentException(ind.name() + " has " + ind.size() + " samples but a batch needs "
                    + options.ind() + ". Maybe take smaller batches (--ind-batch).");
        }
        Shape shape = options.indTransform().shape(ind.shape());
        options.normalise().check(shape);
        if ((ood == null || ood.size() == 0) && options.ood() > 0) {
            throw new IllegalArgumentException(
                    "batches are to hold " + options.ood() + " OOD samples but there is no OOD dataset to draw from");
        }
        if (ood != null && !options.oodTransform().shape(ood.shape()).equals(shape)) {
            throw new IllegalArgumentException("InD and OOD images must have one shape but " + ind.name() + " comes as "
                    + shape + " and " + ood.name() + " as "
                    + options.oodTransform().shape(ood.shape())
                    + ". Maybe adapt one of them first.");
        }
        return shape;
    }

    /** The number of batches in an epoch. */
    public int steps() {
        return steps;
    }

    /** The shape of the images in a batch. */
    public Shape shape() {
        return ahead.shape();
    }

    /**
     * From the next batch on, OOD samples are drawn from those at the given indices only.
     *
     * @throws IllegalArgumentException for none
     */
    public void drawOodFrom(int... indices) {
        if (indices.length == 0) {
            throw new IllegalArgumentException("OOD samples must be drawn from at least one but there are none");
        }
        settle(filling);
        aheadPosition = -1; // what was filled ahead is of the choice before
        choice = indices.clone();
    }

    /** The batches of an epoch. */
    public Iterable<Batch> epoch(int epoch) {
        return epoch(epoch, 0);
    }

    /** The batches of an epoch from a step on, exactly those that a complete epoch has there. */
    public Iterable<Batch> epoch(int epoch, int firstStep) {
        if (epoch < 0 || firstStep < 0 || firstStep > steps) {
            throw new IllegalArgumentException("epochs count from 0 and have " + steps + " steps but epoch " + epoch
                    + ", step " + firstStep + " was asked for");
        }
        return () -> new Iterator<>() {
            private int step = firstStep;

            @Override
            public boolean hasNext() {
                return step < steps;
            }

            @Override
            public Batch next() {
                if (!hasNext()) {
                    throw new NoSuchElementException("epoch " + epoch + " has only " + steps + " steps");
                }
                return take((long) epoch * steps + step++);
            }
        };
    }

    /** Hands out the batch at a position and begins to fill its successor into the batch that comes back. */
    private Batch take(long position) {
        if (aheadPosition != position) {
            settle(filling);
            filling = fill(ahead, position);
        }
        List<Future<?>> wanted = filling;
        Batch free = lent;
        lent = ahead;
        ahead = free;
        aheadPosition = position + 1;
        filling = fill(ahead, aheadPosition);
        await(wanted);
        return lent;
    }

    private List<Future<?>> fill(Batch batch, long position) {
        int epoch = Math.toIntExact(position / steps);
        int step = (int) (position % steps);
        if (options.shuffled() && orderEpoch != epoch) {
            int[] permutation = options.seed().at(epoch).permutation(ind.size());
            order = place -> permutation[place];
            orderEpoch = epoch;
        }
        int count = Math.min(options.ind(), ind.size() - step * options.ind());
        batch.begin(epoch, step, options.shard().of(count), options.shard().of(options.ood()));
        IntUnaryOperator now = order;
        int tasks = Math.min(batch.size(), options.threads() * TASKS_PER_THREAD);
        List<Future<?>> futures = new ArrayList<>(tasks);
        for (int t = 0; t < tasks; t++) {
            int from = (int) ((long) batch.size() * t / tasks);
            int to = (int) ((long) batch.size() * (t + 1) / tasks);
            futures.add(workers.submit(() -> fill(batch, now, from, to)));
        }
        return futures;
    }

    private void fill(Batch batch, IntUnaryOperator order, int first, int end) {
        Seed seed = options.seed().at(batch.epoch()).at(batch.step());
        float[] floats = new float[batch.shape().length()];
        for (int n = first; n < end; n++) {
            int place = options.shard().place(n, options.ind(), options.ood());
            SplittableRandom random = seed.at(place).random();
            boolean fromInd = n < batch.ind();
            Dataset from = fromInd || ood == null ? ind : ood;
            int index = fromInd ? order.applyAsInt(batch.step() * options.ind() + place) : chosen(from, random);
            Sample sample = options.shuffled() ? from.draw(index, random) : from.get(index);
            Transform transform = fromInd ? options.indTransform() : options.oodTransform();
            options.normalise().write(transform.apply(sample.image(), random), floats, 0);
            batch.put(n, floats, fromInd ? sample.label() : Sample.UNLABELLED);
        }
    }

    private int chosen(Dataset from, SplittableRandom random) {
        return choice.length == 0 ? random.nextInt(from.size()) : choice[random.nextInt(choice.length)];
    }

    private static void await(List<Future<?>> tasks) {
        Throwable failure = settle(tasks);
        if (failure instanceof RuntimeException exception) {
            throw exception;
        } else if (failure != null) {
            throw new IllegalStateException("a batch could not be filled", failure);
        }
    }

    /** Waits for all tasks, failed ones too, so that none still writes when a batch is used again. */
    private static @Nullable Throwable settle(List<Future<?>> tasks) {
        Throwable failure = null;
        for (Future<?> task : tasks) {
            try {
                task.get();
            } catch (ExecutionException e) {
                failure = e.getCause();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while waiting for a batch", e);
            }
        }
        return failure;
    }

    /** Ends the background threads. Batches on loan stay readable. */
    @Override
    public void close() {
        workers.shutdownNow();
        filling = List.of(); // tasks that never began would be waited for without end
        try {
            workers.awaitTermination(1, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
