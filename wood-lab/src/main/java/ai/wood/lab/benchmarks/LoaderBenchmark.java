package ai.wood.lab.benchmarks;

import ai.wood.Seed;
import ai.wood.data.ArrayDataset;
import ai.wood.data.Batch;
import ai.wood.data.Dataset;
import ai.wood.data.Image;
import ai.wood.data.Loader;
import ai.wood.data.LoaderOptions;
import ai.wood.data.Shape;
import ai.wood.data.Subset;
import ai.wood.data.transform.Flip;
import ai.wood.data.transform.Normalise;
import ai.wood.data.transform.PadCrop;
import ai.wood.data.transform.Transform;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Images a second through the loader: CIFAR-10's 50,000 images of 3 x 32 x 32, shifted, flipped and normalised into a
 * reused float buffer, 200 InD and 50 OOD to a batch. The plain loop does the same work without a loader.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class LoaderBenchmark {

    static final int SIZE = 50_000;
    static final int IND = 200;
    static final int OOD = 50;
    static final int IMAGES = SIZE / IND * (IND + OOD);
    static final Shape SHAPE = new Shape(3, 32, 32);

    private static final Transform TRANSFORM = Transform.of(new PadCrop(4), new Flip());

    @Param({"1", "2"})
    public int threads;

    private Dataset dataset = dataset();
    private Loader loader = loader(dataset, 1);
    private int epoch;

    /** Random bytes: the loader does not care what images show. */
    static Dataset dataset() {
        byte[] values = new byte[SIZE * SHAPE.length()];
        new SplittableRandom(1).nextBytes(values);
        return ArrayDataset.wrap(SHAPE, values, new int[SIZE]);
    }

    static Loader loader(Dataset dataset, int threads) {
        LoaderOptions options = LoaderOptions.training(IND, OOD)
                .withTransform(TRANSFORM)
                .withNormalise(Normalise.CIFAR10)
                .withThreads(threads);
        return new Loader(dataset, dataset, options);
    }

    /** What a dataset and its loader hold after three epochs, against the dataset's bytes and two batches. */
    static String memory() {
        loader(Subset.of(dataset(), IntStream.range(0, IND).toArray()), 2).close(); // so that classes are loaded
        long before = held();
        Dataset dataset = dataset();
        try (Loader loader = loader(dataset, 2)) {
            float sum = 0;
            for (int epoch = 0; epoch < 3; epoch++) {
                for (Batch batch : loader.epoch(epoch)) {
                    sum += batch.values().get(0);
                }
            }
            long held = held() - before;
            long due = (long) SIZE * SHAPE.length() + 2L * (IND + OOD) * SHAPE.length() * Float.BYTES;
            return String.format(
                    "Memory held: %.1f MB; images and two batches: %.1f MB; ratio %.3f (sum %.1f over %d images)",
                    held / 1e6, due / 1e6, (double) held / due, sum, dataset.size());
        }
    }

    /** Heap after a collection, and buffers outside the heap. */
    private static long held() {
        System.gc();
        long direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
        return direct + ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    @Setup
    public void open() {
        loader.close();
        loader = loader(dataset, threads);
    }

    @TearDown
    public void close() {
        loader.close();
    }

    /** A whole epoch; nothing is done with the batches, so the loader is all that is measured. */
    @Benchmark
    @OperationsPerInvocation(IMAGES)
    public float epoch() {
        float sum = 0;
        for (Batch batch : loader.epoch(epoch++)) {
            sum += batch.values().get(batch.step());
        }
        return sum;
    }

    /** The same transforms one image after another. */
    @Benchmark
    @OperationsPerInvocation(SIZE)
    public float plainLoop() {
        float[] floats = new float[SHAPE.length()];
        float sum = 0;
        Seed seed = new Seed(epoch++);
        for (int i = 0; i < SIZE; i++) {
            Image image = TRANSFORM.apply(dataset.get(i).image(), seed.at(i).random());
            Normalise.CIFAR10.write(image, floats, 0);
            sum += floats[i % floats.length];
        }
        return sum;
    }
}
