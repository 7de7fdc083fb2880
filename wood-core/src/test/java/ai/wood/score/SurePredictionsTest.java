package ai.wood.score;

import static ai.wood.ManyDigits.DIGITS;
import static ai.wood.ManyDigits.log;
import static ai.wood.ManyDigits.softmax;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.wood.FitData;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Settings;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Scores where one class is far ahead, against arithmetic of 300 digits. */
class SurePredictionsTest {

    private static final double LAMBDA = 20;

    @ParameterizedTest
    @CsvSource({
        "5,0", "5,1", "5,10", "5,30", "5,37", "5,45", "5,100", "5,300", "5,600", "30,1", "30,10", "30,37", "30,60"
    })
    void entropyAndEntropicScoresKeepTheirPrecision(int classes, double lead) {
        double[] logits = new double[classes];
        Arrays.setAll(logits, i -> i == 2 ? lead + 1 : 1 - 0.625 * i % 7);
        List<BigDecimal> f = softmax(logits);
        BigDecimal entropy = f.stream()
                .map(mass -> mass.multiply(log(mass), DIGITS).negate())
                .reduce(BigDecimal.ZERO, BigDecimal::add);
        BigDecimal squares = f.stream().map(mass -> mass.pow(2, DIGITS)).reduce(BigDecimal.ZERO, BigDecimal::add);
        BigDecimal part = entropy.divide(BigDecimal.valueOf(LAMBDA), DIGITS);
        BigDecimal binary = BigDecimal.ONE.subtract(f.get(2)).subtract(part);
        BigDecimal dynamic = BigDecimal.ONE.subtract(squares).subtract(part);
        Settings lambda = Settings.NONE.with("lambda", LAMBDA);
        assertScores(BuiltInKind.ENTROPY, Settings.NONE, logits, entropy);
        assertScores(BuiltInKind.WOOD, lambda.with("cost", "binary"), logits, binary);
        assertScores(BuiltInKind.WOOD, lambda.with("cost", "dynamic"), logits, dynamic);
        assertScores(BuiltInKind.MSP, Settings.NONE, logits, BigDecimal.ONE.subtract(f.get(2)));
        assertScores(BuiltInKind.WOOD, Settings.NONE, logits, BigDecimal.ONE.subtract(squares));
    }

    private static void assertScores(BuiltInKind kind, Settings changed, double[] logits, BigDecimal expected) {
        Settings settings = changed.over(kind.settings());
        double score = kind.fit(FitData.NONE, settings).score(Outputs.ofLogits(Matrix.of(logits)))[0];
        double exact = expected.doubleValue();
        assertThat(score).as("%s, %s", kind, settings).isCloseTo(exact, within(1e-9 * Math.abs(exact)));
    }
}
