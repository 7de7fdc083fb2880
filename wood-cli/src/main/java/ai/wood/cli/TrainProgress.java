package ai.wood.cli;

import ai.wood.report.EventFile;
import ai.wood.torch.train.EpochMetrics;
import ai.wood.torch.train.TrainListener;
import ai.wood.torch.train.TrainOptions;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Shows a training: a bar with speed and time left, a line an epoch, and curves for TensorBoard on request. Ctrl-C asks
 * the training to stop, and the process ends when its checkpoint is written.
 */
public final class TrainProgress implements TrainListener, Closeable {

    /** For commands that go on by themselves. */
    public static final String AGAIN = "the same command goes on";

    /** A step takes less; whoever presses Ctrl-C does not wait for ever. */
    private static final int STOP_SECONDS = 30;

    private final PrintWriter out;
    private final @Nullable EventFile events;
    private final @Nullable String onward;
    private final TaskBar bar = TaskBar.of("images");
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Runnable onExit = this::stop;
    private volatile boolean stops;
    private volatile boolean saved;
    private volatile boolean begun;
    private int imagesPerStep = 1;

    /**
     * Begins to show.
     *
     * @param onward what goes on from a checkpoint, and how; null where nothing does
     */
    TrainProgress(PrintWriter out, @Nullable EventFile events, @Nullable String onward) {
        this.out = out;
        this.events = events;
        this.onward = onward;
        Exit.before(onExit);
    }

    @Override
    public void begins(TrainOptions options) {
        imagesPerStep = options.indBatch() + options.oodBatch();
    }

    @Override
    public void step(long done, long total, double loss) {
        bar.update("train", done * imagesPerStep, total * imagesPerStep);
        bar.remark(String.format("loss %.4f", loss));
        begun = true;
    }

    @Override
    public boolean stops() {
        return stops;
    }

    /** Wants the training to stop, with a checkpoint. */
    void wantStop() {
        stops = true;
    }

    private void stop() {
        wantStop();
        try {
            System.err.println("wood: stopped" + how(ended.await(STOP_SECONDS, TimeUnit.SECONDS)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void saved() {
        saved = stops;
    }

    /** How the training was stopped; a checkpoint may have been written in time. */
    String how(boolean inTime) {
        if (!begun) {
            return " before the first step";
        }
        if (onward == null) {
            return "";
        }
        return (inTime && saved ? " with a checkpoint, from which " : "; from the last checkpoint ") + onward;
    }

    @Override
    public void notice(String message) {
        out.println(message);
        out.flush();
    }

    @Override
    public void epoch(EpochMetrics metrics) {
        EpochMetrics.Validation validation = metrics.validation();
        out.printf(
                "epoch %d: loss %.4f %+.4f, accuracy %.4f%s, %.0f images/s%s%n",
                metrics.epoch(),
                metrics.indLoss(),
                metrics.oodLoss(),
                validation.accuracy(),
                detection(validation),
                metrics.imagesPerSecond(),
                metrics.best() ? ", best" : "");
        out.flush();
        if (events != null) {
            try {
                events.add(metrics.steps(), curves(metrics));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Nothing where no OOD samples validate. */
    private static String detection(EpochMetrics.Validation validation) {
        return Double.isNaN(validation.auroc())
                ? ""
                : String.format(Locale.ROOT, ", AUROC %.4f, FNR@95TNR %.4f", validation.auroc(), validation.fnr95());
    }

    private static Map<String, Double> curves(EpochMetrics metrics) {
        return Map.of(
                "train/indLoss", metrics.indLoss(),
                "train/oodLoss", metrics.oodLoss(),
                "train/rate", metrics.rate(),
                "train/imagesPerSecond", metrics.imagesPerSecond(),
                "validation/loss", metrics.validation().loss(),
                "validation/accuracy", metrics.validation().accuracy(),
                "validation/auroc", metrics.validation().auroc(),
                "validation/fnr95", metrics.validation().fnr95());
    }

    @Override
    public void ended() {
        ended.countDown();
        Exit.forget(onExit);
    }

    @Override
    public void close() {
        ended();
        bar.close();
        if (events != null) {
            try {
                events.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
