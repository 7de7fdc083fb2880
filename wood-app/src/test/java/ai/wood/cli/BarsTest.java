package ai.wood.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
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
}
