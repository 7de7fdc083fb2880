package ai.wood;

/**
 * What a detector says about a sample.
 *
 * @param label the predicted class
 * @param probability that the network gives it
 * @param score larger = more OOD
 * @param pValue chance that an InD sample scores at least this much
 * @param ood whether the sample is judged OOD, and the label therefore not to be believed
 */
public record Verdict(int label, double probability, double score, double pValue, boolean ood) {}
