package ai.wood.cli;

import ai.wood.data.Fetcher;
import ai.wood.evaluate.OutputStore;
import java.time.Duration;
import me.tongfei.progressbar.ProgressBar;
import org.jspecify.annotations.Nullable;

/**
 * A progress bar per task, one after another: a training, a file that is fetched, a dataset that a network looks at. Where
 * a task goes on from an earlier process, speed and time left are those of this one.
 */
final class TaskBar implements Fetcher.DownloadListener, OutputStore.Progress, AutoCloseable {

    private final String unit;
    private final long unitSize;
    private @Nullable ProgressBar bar;
    private String task = "";

    private TaskBar(String unit, long unitSize) {
        this.unit = unit;
        this.unitSize = unitSize;
    }

    static TaskBar ofMegabytes() {
        return new TaskBar(" MB", 1 << 20);
    }

    static TaskBar of(String unit) {
        return new TaskBar(" " + unit, 1);
    }

    @Override
    public void update(String name, long done, long total) {
        if (bar == null || !task.equals(name)) {
            close();
            task = name;
            bar = Bars.named(name)
                    .setInitialMax(total)
                    .setUnit(unit, unitSize)
                    .startsFrom(done, Duration.ZERO)
                    .build();
        }
        bar.stepTo(done);
        if (done == total) {
            close();
        }
    }

    /** Adds a remark behind the bar, where there is one. */
    void remark(String text) {
        if (bar != null) {
            bar.setExtraMessage(" " + text);
        }
    }

    /** What is shown at present. */
    @Nullable
    ProgressBar shown() {
        return bar;
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
            bar = null;
        }
    }
}
