package ai.wood.data;

/** What a dataset may be used for, so that figures stay honest: the test split is read once, at the end. */
public enum Split {
    /** For fitting weights and scorers. */
    TRAIN,
    /** For choosing threshold, checkpoint and options. */
    VALIDATION,
    /** For the figures of the report, and for nothing else. */
    TEST,
    /** A set that never was split: noise, a user's folder. It may be used for anything. */
    NONE;

    /** Whether anything may be fitted, calibrated or chosen on it: true for all but {@link #TEST}. */
    public boolean mayFit() {
        return this != TEST;
    }

    /**
     * Refuses the test split for anything that is fitted, calibrated or chosen.
     *
     * @param use what it is wanted for, such as "calibrating a threshold"
     * @param allowed whether the user insists; the report must then say so
     */
    public void require(String use, boolean allowed) {
        if (!mayFit() && !allowed) {
            throw new IllegalArgumentException(use + " must not use the test split, or its figures mean nothing."
                    + " Maybe hold out a part of the training split.");
        }
    }
}
