package ai.wood.data;

/**
 * One image and its label.
 *
 * @param label the index of its class in {@link Dataset#classes()}, or {@link #UNLABELLED}
 */
public record Sample(Image image, int label) {

    /** The label of a sample whose class is unknown or of no concern, as for OOD. */
    public static final int UNLABELLED = -1;

    public Sample {
        if (label < UNLABELLED) {
            throw new IllegalArgumentException("a label must not be below " + UNLABELLED + " but is " + label);
        }
    }
}
