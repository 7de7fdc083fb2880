package ai.wood.cli;

import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Progress bars on the error stream of a terminal; where nobody watches there are none, nor control characters. */
final class Bars {

    /** The launcher knows whether the error stream is a terminal and sets this property. */
    private static final String TERMINAL = "wood.terminal";

    private Bars() {}

    static ProgressBarBuilder named(String task) {
        ProgressBarBuilder builder = new ProgressBarBuilder()
                .setTaskName(task)
                .setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis(500)
                .showSpeed();
        return Boolean.getBoolean(TERMINAL)
                ? builder
                : builder.setConsumer(new DelegatingProgressBarConsumer(line -> {}));
    }
}
