package ai.wood;

/**
 * A detector's answer about one sample.
 *
 * @param label the predicted class, or {@link #NO_LABEL} if the classifier predicts none
 * @param probability of that class by the classifier; NaN without a prediction
 * @param score larger = more OOD; NaN if the outputs contain NaN or +Infinity
 * @param pValue chance that an InD sample scores at least this much
 * @param threshold scores above it are OOD
 * @param ood whether the sample is OOD and the label therefore not to be trusted; true for a score of NaN
 */
public record Verdict(int label, double probability, double score, double pValue, double threshold, boolean ood) {

    /** The label of a sample without a prediction. */
    public static final int NO_LABEL = -1;
}
