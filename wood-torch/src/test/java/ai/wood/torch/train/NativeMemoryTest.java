package ai.wood.torch.train;

import static org.assertj.core.api.Assertions.assertThat;

import ai.wood.Image;
import ai.wood.Shape;
import ai.wood.Split;
import ai.wood.data.transform.Normalise;
import ai.wood.score.WoodScorer;
import ai.wood.torch.Architecture;
import ai.wood.torch.Devices;
import ai.wood.torch.InferenceOptions;
import ai.wood.torch.TorchNetwork;
import ai.wood.torch.Weights;
import ai.wood.torch.net.NetworkOptions;
import ai.wood.torch.net.SmallCnn;
import ai.wood.transport.GroundCost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.bytedeco.javacpp.Pointer;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Native memory has one owner and one scope. */
class NativeMemoryTest {

    @TempDir
    Path folder;

    @Test
    void aThousandStepsDoNotGrowTheProcess() throws IOException {
        long[] resident = new long[1200];
        TrainData few = ToyData.data();
        TrainData data = new TrainData(
                ToyData.ind(12_000, 1, Split.TRAIN),
                few.ood(),
                few.indValidation(),
                null,
                few.transform(),
                few.normalise());
        TrainOptions options = TrainerTest.OPTIONS.withEpochs(1).withCheckpointEvery(Integer.MAX_VALUE);
        new Trainer(TrainerTest.NETWORK, TrainerTest.LOSS, new WoodScorer(GroundCost.dynamic()), data, options)
                .train(new RunFolder(folder.resolve("run")), RunFolder.Existing.REFUSE, new TrainListener() {
                    @Override
                    public void step(long done, long total, double loss) {
                        resident[(int) done - 1] = Pointer.physicalBytes();
                    }
                });
        long warm = IntStream.range(190, 210).mapToLong(i -> resident[i]).max().orElseThrow();
        long late =
                IntStream.range(1180, 1200).mapToLong(i -> resident[i]).min().orElseThrow();
        assertThat(late).isLessThan(warm + warm / 50);
    }

    @Test
    void closingANetworkFreesItsMemory() throws IOException {
        Assumptions.assumeTrue(Files.exists(Path.of("/proc/self/statm")), "there is no /proc to measure with");
        Architecture wide = new SmallCnn(256, NetworkOptions.of(1, 10));
        long bytes = Float.BYTES * wide.layout().parameters();
        try (Weights weights = Weights.initial(wide.layout(), 0, Devices.cpu())) {
            openAndClose(wide, weights.copy());
            long before = Pointer.physicalBytes();
            for (int i = 0; i < 20; i++) {
                openAndClose(wide, weights.copy());
            }
            assertThat(Pointer.physicalBytes() - before).isLessThan(5 * bytes);
        }
    }

    private static void openAndClose(Architecture architecture, Weights weights) {
        try (TorchNetwork network =
                new TorchNetwork(architecture, weights, InferenceOptions.of(Normalise.UNIT, Devices.cpu()))) {
            network.forward(List.of(Image.of(new Shape(1, 4, 4), new byte[16])));
        }
    }
}
