package ai.wood;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.util.Arrays;
import java.util.List;

/** Exponentials, logarithms and softmax to many digits, for tests of precision. */
public final class ManyDigits {

    public static final MathContext DIGITS = new MathContext(300);

    private ManyDigits() {}

    public static List<BigDecimal> softmax(double[] logits) {
        List<BigDecimal> all =
                Arrays.stream(logits).mapToObj(z -> exp(new BigDecimal(z))).toList();
        BigDecimal sum = all.stream().reduce(BigDecimal.ZERO, BigDecimal::add);
        return all.stream().map(e -> e.divide(sum, DIGITS)).toList();
    }

    /** {@code exp(x / 2^20)^(2^20)}, by a series. */
    public static BigDecimal exp(BigDecimal x) {
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
    public static BigDecimal log(BigDecimal x) {
        BigDecimal y = BigDecimal.valueOf(Math.log(x.doubleValue()));
        for (int i = 0; i < 4; i++) {
            BigDecimal e = exp(y);
            BigDecimal step = x.subtract(e).divide(x.add(e), DIGITS);
            y = y.add(step.add(step));
        }
        return y;
    }
}
