package ai.wood.cli;

import static org.assertj.core.api.Assertions.assertThat;

import me.tongfei.progressbar.ProgressBar;
import org.junit.jupiter.api.Test;

class TaskBarTest {

    @Test
    void whatAnEarlierProcessDidCountsAsDoneNotAsSpeed() {
        try (TaskBar resumed = TaskBar.of("images")) {
            resumed.remark("nothing is shown yet");
            resumed.update("train", 6_000, 60_000);
            resumed.update("train", 6_060, 60_000);
            resumed.remark("loss 0.5");
            assertThat(resumed.shown())
                    .extracting(ProgressBar::getStart, ProgressBar::getCurrent, ProgressBar::getMax)
                    .containsExactly(6_000L, 6_060L, 60_000L);
            assertThat(resumed.shown()).extracting(ProgressBar::getExtraMessage).isEqualTo(" loss 0.5");
        }
    }

    @Test
    void aTaskThatIsDoneMakesWayForTheNext() {
        try (TaskBar bar = TaskBar.ofMegabytes()) {
            bar.update("train.tar", 0, 10);
            bar.update("train.tar", 10, 10);
            assertThat(bar.shown()).isNull();
            bar.update("test.tar", 3, 5);
            assertThat(bar.shown()).extracting(ProgressBar::getTaskName).isEqualTo("test.tar");
        }
    }
}
