package ai.wood.lab;

import static org.assertj.core.api.Assertions.assertThat;

import ai.wood.lab.Table2.Figures;
import org.junit.jupiter.api.Test;

class Table2Test {

    /** None missed of ten thousand may be one in three thousand. */
    @Test
    void whatWasMeasuredClaimsNoMoreThanItsDigits() {
        assertThat(new Figures(0, 1).text()).isEqualTo("0.0000 / 1.000");
        assertThat(new Figures(0.8754, 0.741).text()).isEqualTo("0.8754 / 0.741");
    }
}
