package ai.wood.cli;

import ai.wood.data.Fetcher;
import me.tongfei.progressbar.ProgressBar;
import org.jspecify.annotations.Nullable;

/** A progress bar per file, on the error stream. */
final class FetchBar implements Fetcher.Progress, AutoCloseable {

    private static final int MEGABYTE = 1 << 20;

    private @Nullable ProgressBar bar;
    private String file = "";

    @Override
    public void update(String name, long done, long total) {
        if (bar == null || !file.equals(name)) {
            close();
            file = name;
            bar = Bars.named(name).setInitialMax(total).setUnit(" MB", MEGABYTE).build();
        }
        bar.stepTo(done);
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
            bar = null;
        }
    }
}
