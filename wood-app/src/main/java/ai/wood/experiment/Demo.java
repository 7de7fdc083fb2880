package ai.wood.experiment;

import ai.wood.data.Catalogue;
import ai.wood.loss.CrossEntropy;
import ai.wood.loss.Loss;
import ai.wood.loss.WoodLoss;
import ai.wood.score.Scorers;
import ai.wood.score.WoodScorer;
import ai.wood.torch.Architecture;
import ai.wood.torch.net.NetworkDescription;
import ai.wood.torch.net.NetworkOptions;
import ai.wood.torch.net.Networks;
import ai.wood.torch.train.RunFolder;
import ai.wood.torch.train.Schedule;
import ai.wood.torch.train.TrainData;
import ai.wood.torch.train.TrainListener;
import ai.wood.torch.train.TrainOptions;
import ai.wood.torch.train.Trainer;
import ai.wood.torch.train.UpdateOptions;
import ai.wood.transport.GroundCost;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The whole story on bundled data: the same small network learns handwritten digits twice, plainly and with WOOD against
 * pictures of clothes, and both meet clothes again and things neither has ever seen.
 *
 * @param folder where the runs go
 * @param epochs of each training
 * @param seed of everything; the same one gives the same figures
 */
public record Demo(Path folder, int epochs, long seed) {

    /** InD and OOD images in a step of training. */
    public static final int IMAGES_PER_STEP =
            TrainOptions.paper().indBatch() + TrainOptions.paper().oodBatch();

    private static final String IND = "mnist-small";
    private static final String SEEN = "fashion-mnist-small";
    private static final List<String> OOD =
            List.of(SEEN, "gaussian-noise", "uniform-noise", "blobs", "patch-shuffled:" + IND, "blurred:" + IND);

    private static final double BETA = 0.3;
    private static final double RATE = 0.01;
    private static final int LIMIT = 2000;

    /** Watches trainings and passes over data. */
    public interface Progress extends OutputStore.Progress {
        TrainListener training(String network);
    }

    /** The trainings by name: the same but for the loss. */
    private static Map<String, Loss> losses() {
        Map<String, Loss> losses = new LinkedHashMap<>();
        losses.put("plain", new CrossEntropy());
        losses.put("wood", WoodLoss.of(GroundCost.dynamic(), BETA));
        return losses;
    }

    /** Trains both networks and runs them over all test sets. */
    public List<NetworkOutputs> run(List<Scorers> scorers, Progress progress) throws IOException {
        Catalogue catalogue = Catalogue.at(null);
        DataOptions dataOptions =
                DataOptions.of(IND, List.of(SEEN)).withHeldOut(0.2).withSeed(seed);
        TrainData data = dataOptions.open(catalogue, false);
        NetworkDescription description = NetworkDescription.of(
                Networks.SMALL_CNN.id(),
                NetworkOptions.of(
                        data.ind().shape().channels(), data.ind().classes().size()),
                data.ind(),
                data.normalise());
        List<NetworkOutputs> all = new ArrayList<>();
        for (Map.Entry<String, Loss> training : losses().entrySet()) {
            Path run = folder.resolve(training.getKey());
            Architecture architecture = Networks.SMALL_CNN.with(description.options());
            train(architecture, training.getValue(), data, new RunFolder(run), progress.training(training.getKey()));
            description.write(run);
            dataOptions.write(run);
            try (Run trained = Run.open(run, catalogue, "cpu", progress)) {
                all.add(trained.outputs(EvaluateOptions.of(OOD).withLimit(LIMIT).withScorers(scorers)));
            }
        }
        return all;
    }

    private void train(Architecture architecture, Loss loss, TrainData data, RunFolder run, TrainListener listener)
            throws IOException {
        UpdateOptions update = UpdateOptions.paper().withRate(RATE).withSchedule(Schedule.ONE_CYCLE);
        TrainOptions options =
                TrainOptions.paper().withEpochs(epochs).withUpdate(update).withSeed(seed);
        Trainer trainer = new Trainer(architecture, loss, new WoodScorer(GroundCost.dynamic()), data, options);
        trainer.train(run, RunFolder.Existing.OVERWRITE, listener);
    }
}
