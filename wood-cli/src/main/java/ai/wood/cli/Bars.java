package ai.wood.cli;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/**
 * Progress bars on the error stream of a terminal. Elsewhere, as in a log, work that takes longer says once a minute how
 * far it is, without control characters.
 */
final class Bars {

    /** The launcher knows whether the error stream is a terminal and sets this property. */
    private static final String TERMINAL = "wood.terminal";

    /** Characters of a line in a log. */
    private static final int WIDTH = 120;

    /** One for all bars: many that are short make up long work too. */
    private static final Consumer<String> LOG = seldom(System.err::println, Duration.ofMinutes(1), System::nanoTime);

    private Bars() {}

    static ProgressBarBuilder named(String task) {
        return named(task, LOG);
    }

    static ProgressBarBuilder named(String task, Consumer<String> log) {
        ProgressBarBuilder builder = new ProgressBarBuilder()
                .setTaskName(task)
                .setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis(500)
                .showSpeed();
        return Boolean.getBoolean(TERMINAL)
                ? builder
                : builder.setConsumer(new DelegatingProgressBarConsumer(log, WIDTH));
    }

    /** Passes on what comes when so long has gone by, from now on and since the last it passed on. */
    static Consumer<String> seldom(Consumer<String> log, Duration pause, LongSupplier nanoTime) {
        long[] last = {nanoTime.getAsLong()};
        return line -> {
            long now = nanoTime.getAsLong();
            if (now - last[0] >= pause.toNanos()) {
                last[0] = now;
                log.accept(line.strip());
            }
        };
    }
}
