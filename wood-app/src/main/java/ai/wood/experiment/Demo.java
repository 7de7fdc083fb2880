package ai.wood.experiment;

import ai.wood.Dataset;
import ai.wood.Seed;
import ai.wood.Split;
import ai.wood.data.Catalogue;
import ai.wood.data.Subset;
import ai.wood.data.transform.Normalise;
import ai.wood.data.transform.Transform;
import ai.wood.loss.CrossEntropy;
import ai.wood.loss.Loss;
import ai.wood.loss.WoodLoss;
import ai.wood.score.WoodScorer;
import ai.wood.torch.Architecture;
import ai.wood.torch.Devices;
import ai.wood.torch.InferenceOptions;
import ai.wood.torch.TorchNetwork;
import ai.wood.torch.Weights;
import ai.wood.torch.checkpoint.Safetensors;
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
import java.util.Objects;

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
    private static final List<String> UNSEEN =
            List.of("gaussian-noise", "uniform-noise", "blobs", "patch-shuffled:" + IND, "blurred:" + IND);

    private static final double BETA = 0.3;
    private static final double RATE = 0.01;
    private static final int OOD_SIZE = 2000;

    /** Watches a training. */
    public interface Progress {
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
    public List<NetworkOutputs> run(Progress progress) throws IOException {
        Catalogue catalogue = Catalogue.at(null);
        TrainData data = data(catalogue);
        NetworkOutputs.Data judged = judged(catalogue, data);
        Architecture architecture = Networks.SMALL_CNN.with(NetworkOptions.of(
                data.ind().shape().channels(), data.ind().classes().size()));
        List<NetworkOutputs> all = new ArrayList<>();
        for (Map.Entry<String, Loss> training : losses().entrySet()) {
            String name = training.getKey();
            RunFolder run = new RunFolder(folder.resolve(name));
            train(architecture, training.getValue(), data, run, progress.training(name));
            try (TorchNetwork network = load(architecture, run, data.normalise())) {
                all.add(NetworkOutputs.of(name, network::forward, judged, false));
            }
        }
        return all;
    }

    private NetworkOutputs.Data judged(Catalogue catalogue, TrainData data) throws IOException {
        List<NetworkOutputs.OodData> ood = new ArrayList<>();
        ood.add(new NetworkOutputs.OodData(catalogue.open(SEEN, Split.TEST), true, Distance.of(IND, SEEN)));
        for (String unseen : UNSEEN) {
            Dataset whole = catalogue.open(unseen, Split.TEST, data.ind().shape());
            Dataset some = Subset.random(whole, OOD_SIZE, new Seed(seed));
            ood.add(new NetworkOutputs.OodData(some, false, Distance.of(IND, unseen)));
        }
        return new NetworkOutputs.Data(data.ind(), data.indValidation(), catalogue.open(IND, Split.TEST), ood);
    }

    private TrainData data(Catalogue catalogue) throws IOException {
        Map<Split, Subset> ind = parts(catalogue.open(IND, Split.TRAIN));
        Map<Split, Subset> ood = parts(catalogue.open(SEEN, Split.TRAIN));
        return new TrainData(
                part(ind, Split.TRAIN),
                part(ood, Split.TRAIN),
                part(ind, Split.VALIDATION),
                part(ood, Split.VALIDATION),
                Transform.of(),
                Normalise.UNIT);
    }

    private Map<Split, Subset> parts(Dataset whole) {
        return Subset.stratified(whole, Map.of(Split.TRAIN, 0.8, Split.VALIDATION, 0.2), new Seed(seed));
    }

    private static Dataset part(Map<Split, Subset> parts, Split split) {
        return Objects.requireNonNull(parts.get(split));
    }

    private void train(Architecture architecture, Loss loss, TrainData data, RunFolder run, TrainListener listener)
            throws IOException {
        UpdateOptions update = UpdateOptions.paper().withRate(RATE).withSchedule(Schedule.ONE_CYCLE);
        TrainOptions options =
                TrainOptions.paper().withEpochs(epochs).withUpdate(update).withSeed(seed);
        Trainer trainer = new Trainer(architecture, loss, new WoodScorer(GroundCost.dynamic()), data, options);
        trainer.train(run, RunFolder.Existing.OVERWRITE, listener);
    }

    private static TorchNetwork load(Architecture architecture, RunFolder run, Normalise normalise) throws IOException {
        try (Safetensors file = Safetensors.open(run.network())) {
            Weights weights = Weights.read(architecture.layout(), file, Devices.of("cpu"));
            return new TorchNetwork(architecture, weights, InferenceOptions.of(normalise, Devices.of("cpu")));
        }
    }
}
