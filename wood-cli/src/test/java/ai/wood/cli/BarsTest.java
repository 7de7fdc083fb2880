package ai.wood.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import me.tongfei.progressbar.ProgressBar;
import org.junit.jupiter.api.Test;

class BarsTest {

    @Test
    void aLogHearsOnceAMinuteHowFarItIsAndNothingOfWhatIsSoonDone() {
        List<String> log = new ArrayList<>();
        AtomicLong seconds = new AtomicLong(7);
        Consumer<String> lines = Bars.seldom(
                log::add,
                Duration.ofMinutes(1),
                () -> Duration.ofSeconds(seconds.get()).toNanos());
        for (int second = 0; second < 200; second++) {
            lines.accept("  second " + second + " ");
            seconds.incrementAndGet();
        }
        assertThat(log).containsExactly("second 60", "second 120", "second 180");
    }

    /** An evaluation looks at many sets, each for less than a minute. */
    @Test
    void shortTasksMakeUpLongWorkToo() {
        List<String> log = new ArrayList<>();
        AtomicLong seconds = new AtomicLong();
        Consumer<String> lines = Bars.seldom(
                log::add,
                Duration.ofMinutes(1),
                () -> Duration.ofSeconds(seconds.get()).toNanos());
        for (int task = 0; task < 4; task++) {
            try (ProgressBar bar =
                    Bars.named("task " + task, lines).setInitialMax(40).build()) {
                seconds.addAndGet(40);
                bar.stepTo(40);
            }
        }
        assertThat(log).hasSize(2);
        assertThat(log.get(0)).startsWith("task 1");
        assertThat(log.get(1)).startsWith("task 3");
    }
}
