package ai.wood;

/**
 * What held-out InD scores say about a new sample, by its predicted label: where the cut is, and how unusual a score is.
 *
 * <p>Implementations are immutable and safe to share between threads.
 */
public interface Thresholds {

    /** The cut for samples of this predicted label. */
    Threshold of(int label);

    /** The chance that an InD sample of this predicted label scores at least this much. */
    double pValue(int label, double score);
}
