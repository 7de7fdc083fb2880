package ai.wood.evaluate;

import static org.assertj.core.api.Assertions.assertThat;

import ai.wood.data.Catalogue;
import ai.wood.data.Dataset;
import ai.wood.data.Split;
import ai.wood.loss.WoodLoss;
import ai.wood.score.ScorerKinds;
import ai.wood.torch.net.NetworkDescription;
import ai.wood.torch.net.NetworkOptions;
import ai.wood.torch.net.Networks;
import ai.wood.torch.train.RunFolder;
import ai.wood.torch.train.TrainData;
import ai.wood.torch.train.TrainListener;
import ai.wood.torch.train.TrainOptions;
import ai.wood.torch.train.Trainer;
import ai.wood.transport.GroundCost;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TuningDataTest {

    @TempDir
    Path folder;

    @Test
    void aGeneratedKindThatTrainingSawCountsOnce() throws IOException {
        Catalogue catalogue = Catalogue.at(null);
        DataOptions options = DataOptions.of("mnist-small", List.of("blobs")).withLimit(200);
        TrainData samples = options.open(catalogue, false);
        NetworkOptions network = NetworkOptions.of(1, 10);
        new Trainer(
                        Networks.SMALL_CNN.with(network),
                        WoodLoss.of(GroundCost.dynamic(), 1),
                        ScorerKinds.formula("wood"),
                        samples,
                        TrainOptions.paper().withEpochs(1))
                .train(
                        new RunFolder(folder, run -> {
                            options.write(run);
                            NetworkDescription.of("small-cnn", network, samples.ind(), samples.normalise())
                                    .write(run);
                        }),
                        RunFolder.Existing.REFUSE,
                        TrainListener.NONE);
        try (Run run = Run.open(folder, catalogue, "cpu", (name, done, total) -> {})) {
            EvaluateOptions judged = EvaluateOptions.of(List.of());
            assertThat(new TuningData(run).kinds(run.samples().heldOut(Split.TRAIN), judged))
                    .extracting(Dataset::name)
                    .containsExactlyInAnyOrder(
                            "blobs",
                            "gaussian-noise",
                            "uniform-noise",
                            "jigsaw:mnist-small",
                            "mixed-up:mnist-small",
                            "blurred:mnist-small");
        }
    }
}
