package ai.wood.score;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.wood.FitData;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Settings;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Scores where one class is far ahead, against arithmetic of 300 digits. */
class SurePredictionsTest {

    private static final MathContext DIGITS = new MathContext(300);
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

    @ParameterizedTest
    @CsvSource({"5,0", "5,1", "5,10", "5,19", "5,30", "5,45", "5,100", "5,300", "30,1", "30,10", "30,37", "30,60"})
    void scoresOfThePapersCodeKeepTheirPrecision(int classes, double lead) {
        double[] logits = new double[classes];
        Arrays.setAll(logits, i -> i == 2 ? lead + 1 : 1 - 0.625 * i % 7);
        List<BigDecimal> f = softmax(logits);
        BigDecimal inverseE = exp(BigDecimal.ONE.negate());
        BigDecimal s = selfTransport(f, inverseE);
        BigDecimal binary = f.stream()
                .map(mass -> mass.multiply(log(weight(mass, s, inverseE)), DIGITS))
                .reduce(BigDecimal.ONE.subtract(f.get(2)), BigDecimal::subtract);
        BigDecimal impurity = f.stream().map(mass -> mass.pow(2, DIGITS)).reduce(BigDecimal.ONE, BigDecimal::subtract);
        BigDecimal dynamic = impurity.pow(2, DIGITS).divide(BigDecimal.valueOf(2), DIGITS);
        assertScores(BuiltInKind.WOOD_AUTHORS_BINARY, Settings.NONE, logits, binary);
        assertScores(BuiltInKind.WOOD_AUTHORS_DYNAMIC, Settings.NONE, logits, dynamic);
    }

    /** {@code S} of {@link AuthorsScorer#BINARY} by Newton's method, which comes from below to the root. */
    private static BigDecimal selfTransport(List<BigDecimal> f, BigDecimal inverseE) {
        BigDecimal s = BigDecimal.ONE;
        for (int i = 0; i < 12; i++) {
            BigDecimal value = s.negate();
            BigDecimal slope = BigDecimal.ONE.negate();
            for (BigDecimal mass : f) {
                BigDecimal w = weight(mass, s, inverseE);
                BigDecimal share = BigDecimal.ONE
                        .subtract(inverseE)
                        .multiply(mass)
                        .multiply(w)
                        .multiply(BigDecimal.valueOf(2));
                BigDecimal moved = mass.multiply(w, DIGITS);
                value = value.add(moved);
                slope = slope.subtract(moved.multiply(inverseE).divide(share.add(inverseE.multiply(s)), DIGITS));
            }
            s = s.subtract(value.divide(slope, DIGITS)).round(DIGITS);
        }
        return s;
    }

    private static BigDecimal weight(BigDecimal mass, BigDecimal s, BigDecimal inverseE) {
        BigDecimal a = s.multiply(inverseE, DIGITS);
        BigDecimal four = BigDecimal.valueOf(4).multiply(BigDecimal.ONE.subtract(inverseE));
        BigDecimal root = a.pow(2, DIGITS).add(four.multiply(mass)).sqrt(DIGITS);
        return BigDecimal.valueOf(2).divide(a.add(root), DIGITS);
    }

    private static void assertScores(BuiltInKind kind, Settings changed, double[] logits, BigDecimal expected) {
        Settings settings = changed.over(kind.settings());
        double score = kind.fit(FitData.NONE, settings).score(Outputs.ofLogits(Matrix.of(logits)))[0];
        double exact = expected.doubleValue();
        assertThat(score).as("%s, %s", kind, settings).isCloseTo(exact, within(1e-9 * Math.abs(exact)));
    }

    private static List<BigDecimal> softmax(double[] logits) {
        List<BigDecimal> all =
                Arrays.stream(logits).mapToObj(z -> exp(new BigDecimal(z))).toList();
        BigDecimal sum = all.stream().reduce(BigDecimal.ZERO, BigDecimal::add);
        return all.stream().map(e -> e.divide(sum, DIGITS)).toList();
    }

    /** {@code exp(x / 2^20)^(2^20)}, by a series. */
    private static BigDecimal exp(BigDecimal x) {
        BigDecimal small = x.divide(new BigDecimal(BigInteger.TWO.pow(20)), DIGITS);
        BigDecimal sum = BigDecimal.ZERO;
        BigDecimal term = BigDecimal.ONE;
        for (int n = 1; n < 80; n++) {
            sum = sum.add(term);
            term = term.multiply(small, DIGITS).divide(BigDecimal.valueOf(n), DIGITS);
        }
        return sum.pow(1 << 20, DIGITS);
    }

    /** By Halley's method, each step of which makes three times as many digits right. */
    private static BigDecimal log(BigDecimal x) {
        BigDecimal y = BigDecimal.valueOf(Math.log(x.doubleValue()));
        for (int i = 0; i < 4; i++) {
            BigDecimal e = exp(y);
            BigDecimal step = x.subtract(e).divide(x.add(e), DIGITS);
            y = y.add(step.add(step));
        }
        return y;
    }
}
