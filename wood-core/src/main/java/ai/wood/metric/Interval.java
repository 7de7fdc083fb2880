package ai.wood.metric;

/** A range that holds the true value with a stated confidence. */
public record Interval(double low, double high) {

    public Interval {
        if (!(low <= high)) {
            throw new IllegalArgumentException(
                    "an interval must not end before it begins but is " + low + " .. " + high);
        }
    }

    public boolean contains(double value) {
        return low <= value && value <= high;
    }
}
