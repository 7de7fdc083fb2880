package ai.wood.torch.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.wood.Seed;
import ai.wood.data.ArrayDataset;
import ai.wood.data.Dataset;
import ai.wood.data.LoadPlan;
import ai.wood.data.LoaderOptions;
import ai.wood.data.Sample;
import ai.wood.data.Shape;
import ai.wood.data.Split;
import ai.wood.data.transform.Cutout;
import ai.wood.data.transform.Flip;
import ai.wood.data.transform.Normalise;
import ai.wood.data.transform.PadCrop;
import ai.wood.data.transform.Transform;
import ai.wood.torch.Devices;
import ai.wood.torch.NativeScope;
import ai.wood.torch.Tensors;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.global.torch.MemoryFormat;
import org.junit.jupiter.api.Test;

class FeedTest {

    private static final Shape SHAPE = new Shape(3, 8, 6);
    private static final Normalise NORMALISE = new Normalise(List.of(0.49, 0.48, 0.44), List.of(0.24, 0.2, 0.26));

    @Test
    void imagesThatLiveOnTheDeviceAreThoseOfTheLoader() {
        Dataset ind = set(30, 1);
        Dataset ood = set(20, 2);
        TrainData data =
                new TrainData(ind, ood, ind, ood, Transform.of(new PadCrop(2), new Flip(), new Cutout(3)), NORMALISE);
        LoaderOptions options = LoaderOptions.training(7, 4)
                .withTransform(data.transform())
                .withNormalise(NORMALISE)
                .withSeed(new Seed(3));
        LoadPlan plan = LoadPlan.of(ind, ood, options).orElseThrow();
        try (Feed loader = new LoaderFeed(data, options, Devices.cpu());
                Feed resident = new ResidentFeed(plan, options, Devices.cpu())) {
            assertThat(resident.steps()).isEqualTo(loader.steps()).isEqualTo(4);
            for (int[] place : new int[][] {{0, 0}, {0, 1}, {0, 3}, {2, 0}, {1, 2}}) {
                loader.load(place[0], place[1]);
                resident.load(place[0], place[1]);
                NativeScope.run(() -> {
                    assertThat(Tensors.floats(resident.images())).containsExactly(Tensors.floats(loader.images()));
                    assertThat(Tensors.floats(resident.labels())).containsExactly(Tensors.floats(loader.labels()));
                    assertThat(resident.images().is_contiguous(MemoryFormat.ChannelsLast))
                            .isTrue();
                });
            }
        }
    }

    @Test
    void imagesThatDoNotFitAreLeftToTheLoaderAndWhatElseFailsIsTold() {
        List<String> notices = new ArrayList<>();
        TrainListener listener = new TrainListener() {
            @Override
            public void notice(String message) {
                notices.add(message);
            }
        };
        assertThat(resident("CUDA out of memory. Tried to allocate 20.00 GiB.", listener))
                .isEmpty();
        assertThat(notices).singleElement().asString().contains("do not fit into the memory of the GPU");
        assertThatThrownBy(() -> resident("CUDA error: device-side assert triggered", listener))
                .hasMessageContaining("device-side assert");
        assertThat(notices).hasSize(1);
    }

    @Test
    void portionsOfLargeImagesStaySmall() {
        assertThat(ResidentFeed.portion(new Shape(3, 32, 32))).isEqualTo(5461);
        assertThat(ResidentFeed.portion(new Shape(3, 512, 512))).isEqualTo(21);
        assertThat(ResidentFeed.portion(new Shape(3, 5000, 5000))).isOne();
    }

    /** A feed of images whose upload fails as libtorch fails. */
    private static Optional<Feed> resident(String failure, TrainListener listener) {
        Dataset ind = new Failing(failure);
        LoaderOptions options = LoaderOptions.training(7, 0).withNormalise(NORMALISE);
        return Feed.resident(LoadPlan.of(ind, null, options).orElseThrow(), options, Devices.cpu(), listener);
    }

    private record Failing(String failure) implements Dataset {

        @Override
        public String name() {
            return "failing";
        }

        @Override
        public Split split() {
            return Split.TRAIN;
        }

        @Override
        public List<String> classes() {
            return List.of("one", "two");
        }

        @Override
        public Shape shape() {
            return SHAPE;
        }

        @Override
        public int size() {
            return 30;
        }

        @Override
        public Sample get(int index) {
            throw new IllegalStateException(failure);
        }
    }

    private static Dataset set(int size, long seed) {
        byte[] values = new byte[size * SHAPE.length()];
        new SplittableRandom(seed).nextBytes(values);
        int[] labels = IntStream.range(0, size).map(i -> i % 3).toArray();
        return ArrayDataset.wrap(SHAPE, values, labels).withName("set" + seed).withSplit(Split.TRAIN);
    }
}
