package ai.wood.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.wood.Seed;
import ai.wood.data.transform.Normalise;
import ai.wood.data.transform.Transform;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoaderTest {

    private static final Shape SHAPE = new Shape(1, 2, 2);
    private static final Transform ADD_NOISE = (image, random) -> {
        byte[] values = image.toArray();
        values[0] += (byte) random.nextInt(16);
        return Image.wrap(image.shape(), values);
    };

    /** Image i is all i, its label i modulo 5. */
    private static Dataset numbered(int size) {
        byte[] values = new byte[size * SHAPE.length()];
        int[] labels = new int[size];
        for (int i = 0; i < size; i++) {
            java.util.Arrays.fill(values, i * SHAPE.length(), (i + 1) * SHAPE.length(), (byte) i);
            labels[i] = i % 5;
        }
        return ArrayDataset.wrap(SHAPE, values, labels);
    }

    private record Copy(int epoch, int step, List<Float> values, List<Integer> labels) {
        static Copy of(Batch batch) {
            List<Float> values = new ArrayList<>();
            for (int i = 0; i < batch.values().limit(); i++) {
                values.add(batch.values().get(i));
            }
            List<Integer> labels = new ArrayList<>();
            for (int i = 0; i < batch.size(); i++) {
                labels.add(batch.label(i));
            }
            return new Copy(batch.epoch(), batch.step(), values, labels);
        }
    }

    private static List<Copy> copies(Iterable<Batch> batches) {
        List<Copy> copies = new ArrayList<>();
        batches.forEach(batch -> copies.add(Copy.of(batch)));
        return copies;
    }

    private static LoaderOptions options(int threads) {
        return LoaderOptions.training(7, 3)
                .withTransform(ADD_NOISE)
                .withSeed(new Seed(42))
                .withThreads(threads);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void partsPutTogetherAreTheWholeBatch(int parts) {
        LoaderOptions options =
                LoaderOptions.training(6, 12).withTransform(ADD_NOISE).withSeed(new Seed(42));
        List<Copy> whole = copies(options);
        List<List<Copy>> shares = new ArrayList<>();
        for (int part = 0; part < parts; part++) {
            shares.add(copies(options.withShard(new BatchShard(part, parts))));
        }
        for (int step = 0; step < whole.size(); step++) {
            List<Float> values = new ArrayList<>();
            List<Integer> labels = new ArrayList<>();
            for (int half = 0; half < 2; half++) { // InD, then OOD
                for (List<Copy> share : shares) {
                    Copy copy = share.get(step);
                    int ind = 6 / parts;
                    int from = half == 0 ? 0 : ind;
                    int to = half == 0 ? ind : copy.labels().size();
                    int length = copy.values().size() / copy.labels().size();
                    values.addAll(copy.values().subList(from * length, to * length));
                    labels.addAll(copy.labels().subList(from, to));
                }
            }
            assertThat(values).isEqualTo(whole.get(step).values());
            assertThat(labels).isEqualTo(whole.get(step).labels());
        }
    }

    private static List<Copy> copies(LoaderOptions options) {
        try (Loader loader = new Loader(numbered(100), numbered(50), options)) {
            return copies(loader.epoch(1));
        }
    }

    @Test
    void partsMustDivideTheBatch() {
        assertThatThrownBy(() -> LoaderOptions.training(7, 4).withShard(new BatchShard(0, 2)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("7 and 4");
        assertThatThrownBy(() -> LoaderOptions.evaluation(4).withShard(new BatchShard(0, 2)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new BatchShard(2, 2)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 8})
    void givesTheSameBatchesWhateverTheNumberOfThreads(int threads) {
        try (Loader one = new Loader(numbered(100), numbered(50), options(1));
                Loader many = new Loader(numbered(100), numbered(50), options(threads))) {
            for (int epoch = 0; epoch < 3; epoch++) {
                assertThat(copies(many.epoch(epoch))).isEqualTo(copies(one.epoch(epoch)));
            }
        }
    }

    @Test
    void resumesAtAnyStepWithTheBatchesOfAnUninterruptedRun() {
        List<Copy> all = new ArrayList<>();
        try (Loader loader = new Loader(numbered(100), numbered(50), options(2))) {
            for (int epoch = 0; epoch < 3; epoch++) {
                all.addAll(copies(loader.epoch(epoch)));
            }
        }
        int steps = 100 / 7;
        for (int from : new int[] {0, 1, 13, 14, 15, 27, 41}) {
            try (Loader loader = new Loader(numbered(100), numbered(50), options(2))) {
                List<Copy> resumed = new ArrayList<>(copies(loader.epoch(from / steps, from % steps)));
                for (int epoch = from / steps + 1; epoch < 3; epoch++) {
                    resumed.addAll(copies(loader.epoch(epoch)));
                }
                assertThat(resumed).isEqualTo(all.subList(from, all.size()));
            }
        }
    }

    @Test
    void jumpsToAnyEpochInAnyOrder() {
        try (Loader loader = new Loader(numbered(100), numbered(50), options(2))) {
            List<Copy> fifth = copies(loader.epoch(5));
            loader.epoch(2).iterator().next();
            assertThat(copies(loader.epoch(5))).isEqualTo(fifth).isNotEqualTo(copies(loader.epoch(6)));
        }
    }

    @Test
    void showsEveryIndSampleAtMostOnceAnEpochInANewOrderEachTime() {
        LoaderOptions options = LoaderOptions.training(7, 0).withNormalise(Normalise.of(0, 1 / 255.0));
        try (Loader loader = new Loader(numbered(100), options)) {
            List<List<Float>> orders = new ArrayList<>();
            for (int epoch = 0; epoch < 2; epoch++) {
                List<Float> seen = new ArrayList<>();
                for (Batch batch : loader.epoch(epoch)) {
                    for (int i = 0; i < batch.size(); i++) {
                        seen.add(batch.values().get(i * SHAPE.length()));
                        assertThat(batch.label(i)).isEqualTo(Math.round(seen.get(seen.size() - 1)) % 5);
                    }
                }
                assertThat(seen).hasSize(98).doesNotHaveDuplicates();
                orders.add(seen);
            }
            assertThat(orders.get(0)).isNotEqualTo(orders.get(1));
        }
    }

    @Test
    void drawsOodWithReplacementFromItsWholeSet() {
        LoaderOptions options = LoaderOptions.training(1, 20).withNormalise(Normalise.of(0, 1 / 255.0));
        TreeSet<Integer> seen = new TreeSet<>();
        boolean repeated = false;
        try (Loader loader = new Loader(numbered(100), numbered(30), options)) {
            for (Batch batch : loader.epoch(0)) {
                TreeSet<Integer> here = new TreeSet<>();
                for (int i = batch.ind(); i < batch.size(); i++) {
                    here.add(Math.round(batch.values().get(i * SHAPE.length())));
                    assertThat(batch.label(i)).isEqualTo(Sample.UNLABELLED);
                }
                repeated |= here.size() < batch.ood();
                seen.addAll(here);
            }
        }
        assertThat(seen).hasSize(30);
        assertThat(repeated).isTrue();
    }

    @Test
    void evaluatesAllSamplesInOrderWithASmallerLastBatch() {
        LoaderOptions options = LoaderOptions.evaluation(32).withNormalise(Normalise.of(0, 1 / 255.0));
        try (Loader loader = new Loader(numbered(100), options)) {
            List<Integer> sizes = new ArrayList<>();
            int next = 0;
            for (Batch batch : loader.epoch(0)) {
                sizes.add(batch.size());
                assertThat(batch.values().limit()).isEqualTo(batch.size() * SHAPE.length());
                for (int i = 0; i < batch.size(); i++) {
                    assertThat(Math.round(batch.values().get(i * SHAPE.length())))
                            .isEqualTo(next++);
                }
            }
            assertThat(sizes).containsExactly(32, 32, 32, 4);
        }
    }

    @Test
    void drawsGeneratedImagesAnewInTrainingAndKeepsThemInEvaluation() {
        Dataset noise = Noise.UNIFORM_NOISE.dataset(SHAPE, 8, Split.NONE, new Seed(1));
        try (Loader training = new Loader(noise, LoaderOptions.training(8, 0));
                Loader evaluation = new Loader(noise, LoaderOptions.evaluation(8))) {
            List<Float> first = sorted(training.epoch(0));
            assertThat(sorted(training.epoch(1))).isNotEqualTo(first);
            assertThat(sorted(training.epoch(0))).isEqualTo(first);
            assertThat(sorted(evaluation.epoch(1))).isEqualTo(sorted(evaluation.epoch(0)));
        }
    }

    private static List<Float> sorted(Iterable<Batch> batches) {
        return copies(batches).get(0).values().stream().sorted().toList();
    }

    @Test
    void keepsABatchOnLoanUntouchedWhileTheNextIsFilled() throws InterruptedException {
        Semaphore read = new Semaphore(0);
        Transform counting = (image, random) -> {
            read.release();
            return ADD_NOISE.apply(image, random);
        };
        try (Loader loader = new Loader(numbered(100), numbered(50), options(2).withTransform(counting))) {
            for (Batch batch : loader.epoch(0)) {
                Copy before = Copy.of(batch);
                read.acquire((batch.step() == 0 ? 2 : 1) * batch.size()); // all of the next one, too
                assertThat(Copy.of(batch)).isEqualTo(before);
            }
        }
    }

    @Test
    void hasAtMostTwoBatches() {
        try (Loader loader = new Loader(numbered(100), numbered(50), options(2))) {
            TreeSet<Integer> identities = new TreeSet<>();
            for (int epoch = 0; epoch < 3; epoch++) {
                loader.epoch(epoch).forEach(batch -> identities.add(System.identityHashCode(batch)));
            }
            assertThat(identities).hasSize(2);
        }
    }

    @Test
    void tellsTheConsumerWhyASampleCouldNotBeRead() {
        Transform broken = new Transform() {
            @Override
            public Image apply(Image image, RandomGenerator random) {
                throw new UncheckedIOException(new IOException("cat.jpg: ends at byte 17"));
            }
        };
        try (Loader loader =
                new Loader(numbered(10), LoaderOptions.evaluation(4).withTransform(broken))) {
            assertThatThrownBy(() -> loader.epoch(0).iterator().next())
                    .hasMessageContaining("cat.jpg: ends at byte 17");
        }
    }

    @Test
    void refusesSetsThatDoNotFitTogether() {
        Dataset other = ArrayDataset.wrap(new Shape(3, 1, 1), new byte[3], new int[1]);
        assertThatThrownBy(() -> new Loader(numbered(10), other, LoaderOptions.training(1, 1)))
                .hasMessageContaining("1x2x2")
                .hasMessageContaining("3x1x1");
        assertThatThrownBy(() -> new Loader(numbered(10), LoaderOptions.training(11, 0)))
                .hasMessageContaining("has 10 samples");
        assertThatThrownBy(() -> new Loader(numbered(10), LoaderOptions.training(1, 1)))
                .hasMessageContaining("no OOD dataset");
    }

    /** The next batch is never filled: its first image hangs, and the others wait for their turn. */
    @Test
    @Timeout(60)
    void endsItsThreads() {
        AtomicInteger images = new AtomicInteger();
        Transform hanging = (image, random) -> {
            if (images.incrementAndGet() > 10) {
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            return image;
        };
        Loader loader = new Loader(numbered(100), numbered(50), options(1).withTransform(hanging));
        loader.epoch(0).iterator().next();
        loader.close();
        assertThatThrownBy(() -> loader.epoch(1).iterator().next())
                .isInstanceOf(java.util.concurrent.RejectedExecutionException.class);
    }
}
