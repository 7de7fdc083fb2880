package ai.wood.cli;

import ai.wood.evaluate.Progress;
import ai.wood.torch.train.TrainListener;
import java.io.Closeable;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/** Bars for trainings and for passes over data, one after another. */
public final class RunProgress implements Progress, Closeable {

    private final PrintWriter out;
    private final TaskBar passes = TaskBar.of("images");
    private final @Nullable String onward;
    private @Nullable TrainProgress training;

    /**
     * Begins to show.
     *
     * @param onward what goes on from the checkpoint of a training; null where nothing does
     */
    public RunProgress(PrintWriter out, @Nullable String onward) {
        this.out = out;
        this.onward = onward;
    }

    @Override
    public TrainListener training(String network) {
        endTraining();
        out.printf("Training the %s network%n", network);
        out.flush();
        training = new TrainProgress(out, null, onward);
        return training;
    }

    @Override
    public void update(String dataset, long done, long total) {
        endTraining();
        passes.update(dataset, done, total);
    }

    @Override
    public void close() {
        endTraining();
        passes.close();
    }

    private void endTraining() {
        if (training != null) {
            training.close();
            training = null;
        }
    }
}
