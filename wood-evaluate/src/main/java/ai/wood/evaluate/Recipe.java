package ai.wood.evaluate;

import ai.wood.Scorer;
import ai.wood.data.Catalogue;
import ai.wood.data.Dataset;
import ai.wood.loss.CrossEntropy;
import ai.wood.loss.Loss;
import ai.wood.score.WoodScorer;
import ai.wood.torch.net.NetworkDescription;
import ai.wood.torch.net.NetworkOptions;
import ai.wood.torch.net.Networks;
import ai.wood.torch.train.RunFolder;
import ai.wood.torch.train.RunFolder.Existing;
import ai.wood.torch.train.Schedule;
import ai.wood.torch.train.TrainData;
import ai.wood.torch.train.TrainListener;
import ai.wood.torch.train.TrainOptions;
import ai.wood.torch.train.Trainer;
import ai.wood.torch.train.UpdateOptions;
import ai.wood.transport.GroundCost;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How a network is trained, whatever the data.
 *
 * @param network which one
 * @param augmented whether training images are shifted, mirrored and partly hidden
 * @param loss what it minimises
 * @param scorer tells InD from OOD in validation
 * @param start weights to go on from; null for random ones
 */
public record Recipe(
        Networks network,
        TrainOptions options,
        boolean augmented,
        Loss loss,
        Scorer scorer,
        @Nullable Path start) {

    /** A small network that learns bundled digits or clothes in a few epochs, plainly. */
    public static Recipe small(int epochs) {
        UpdateOptions update = UpdateOptions.paper().withRate(0.01).withSchedule(Schedule.ONE_CYCLE);
        return new Recipe(
                Networks.SMALL_CNN,
                TrainOptions.paper().withEpochs(epochs).withUpdate(update),
                false,
                new CrossEntropy(),
                new WoodScorer(GroundCost.dynamic()),
                null);
    }

    public Recipe withLoss(Loss newLoss, Scorer newScorer) {
        return new Recipe(network, options, augmented, newLoss, newScorer, start);
    }

    public Recipe withOptions(TrainOptions newOptions) {
        return new Recipe(network, newOptions, augmented, loss, scorer, start);
    }

    /** The same without OOD images in its steps. */
    public Recipe withoutOod() {
        return withOptions(options.withBatch(options.indBatch(), 0));
    }

    public Recipe withStart(@Nullable Path newStart) {
        return new Recipe(network, options, augmented, loss, scorer, newStart);
    }

    /** Trains into a run folder, from where an earlier try stopped; a finished run stays as it is. */
    public void resume(Path run, DataOptions data, Catalogue catalogue, TrainListener listener) throws IOException {
        train(run, Existing.RESUME, data, catalogue, listener);
    }

    /** Trains into a run folder, in place of what is there. */
    public void restart(Path run, DataOptions data, Catalogue catalogue, TrainListener listener) throws IOException {
        train(run, Existing.OVERWRITE, data, catalogue, listener);
    }

    private void train(Path run, Existing existing, DataOptions data, Catalogue catalogue, TrainListener listener)
            throws IOException {
        TrainData samples = data.open(catalogue, augmented);
        Dataset ind = samples.ind();
        NetworkOptions task =
                NetworkOptions.of(ind.shape().channels(), ind.classes().size());
        NetworkDescription description = NetworkDescription.of(network.id(), task, ind, samples.normalise());
        RunFolder folder = new RunFolder(run, path -> {
            description.write(path);
            data.write(path);
        });
        new Trainer(network.with(task), loss, scorer, samples, options, start).train(folder, existing, listener);
    }
}
