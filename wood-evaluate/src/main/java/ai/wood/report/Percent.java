package ai.wood.report;

import java.math.BigDecimal;

/**
 * A share that was asked for, or is promised, in percent and with all its digits: rounded it would be another promise.
 *
 * @param value in percent
 */
public record Percent(BigDecimal value) {

    private static final BigDecimal ALL = BigDecimal.valueOf(100);

    /** 99.9% for 0.999. */
    public static Percent of(double share) {
        return new Percent(BigDecimal.valueOf(share).movePointRight(2));
    }

    /** What is missing from all. */
    public Percent rest() {
        return new Percent(ALL.subtract(value));
    }

    @Override
    public String toString() {
        return value.stripTrailingZeros().toPlainString() + "%";
    }
}
