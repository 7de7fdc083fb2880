package ai.wood;

import org.apache.commons.statistics.distribution.BetaDistribution;

/** A range that is meant to hold the true value with a stated confidence. */
public record Interval(double low, double high) {

    public Interval {
        if (!(low <= high)) {
            throw new IllegalArgumentException(
                    "an interval must not end before it begins but is " + low + " .. " + high);
        }
    }

    /** Clopper and Pearson's exact binomial interval for a share of which {@code successes} of {@code trials} were seen. */
    public static Interval ofShare(int successes, int trials, double confidence) {
        if (successes < 0 || successes > trials || trials < 1 || !(confidence > 0 && confidence < 1)) {
            throw new IllegalArgumentException(
                    "no interval for " + successes + " of " + trials + " at confidence " + confidence);
        }
        double tail = (1 - confidence) / 2;
        double low = successes == 0
                ? 0
                : BetaDistribution.of(successes, trials - successes + 1.0).inverseCumulativeProbability(tail);
        double high = successes == trials
                ? 1
                : BetaDistribution.of(successes + 1.0, trials - successes).inverseSurvivalProbability(tail);
        return new Interval(low, high);
    }

    /** The smallest range that holds both. */
    public Interval and(Interval other) {
        return new Interval(Math.min(low, other.low), Math.max(high, other.high));
    }

    public boolean contains(double value) {
        return low <= value && value <= high;
    }
}
