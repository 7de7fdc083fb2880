package ai.wood.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PercentTest {

    @ParameterizedTest
    @CsvSource({
        "0.95, 95%, 5%",
        "0.999, 99.9%, 0.1%",
        "0.987654, 98.7654%, 1.2346%",
        "0.99999999, 99.999999%, 0.000001%",
        "0.1, 10%, 90%"
    })
    void nothingIsRounded(double share, String written, String rest) {
        assertThat(Percent.of(share)).hasToString(written);
        assertThat(Percent.of(share).rest()).hasToString(rest);
    }
}
