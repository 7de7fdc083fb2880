package ai.wood;

/**
 * The cut between InD and OOD.
 *
 * @param value scores above it are OOD; a score equal to it counts as InD. Positive infinity never raises an alarm.
 * @param tnr the share of InD samples it is meant to keep, in (0, 1)
 */
public record Threshold(double value, double tnr) {

    public Threshold {
        if (Double.isNaN(value)) {
            throw new IllegalArgumentException("a threshold must be a number but is NaN");
        }
        if (!(tnr > 0 && tnr < 1)) {
            throw new IllegalArgumentException("the TNR must lie strictly between 0 and 1 but is " + tnr);
        }
    }

    /** Whether a sample of this score is judged OOD. NaN is: a score that cannot be compared cannot be trusted. */
    public boolean isOod(double score) {
        return !(score <= value);
    }
}
