package ai.wood.metric;

/** The figures every evaluation reports; {@link #key()} is their name in files. */
public enum Metric {
    /** Chance that an OOD sample scores higher than an InD sample, ties counted half (Mann-Whitney). */
    AUROC("auroc", "AUROC", true),
    /** Share of OOD missed with the threshold at the 95% quantile of the InD scores; "FPR95" where InD is positive. */
    FNR95("fnr95", "FNR@95TNR", false),
    /** Share of InD alarmed where at least 95% of OOD is caught, as OpenOOD 1.5 defines "FPR95". */
    FPR95_OPENOOD("fpr95_openood", "FPR95 (OpenOOD)", false),
    /** Average precision with InD as the positive class. */
    AUPR_IN("auprIn", "AUPR-in", true),
    /** Average precision with OOD as the positive class. */
    AUPR_OUT("aupr", "AUPR-out", true),
    /** Least mean of missed OOD and alarmed InD over all thresholds (Liang et al. 2018). */
    DETECTION_ERROR("detectionError", "detection error", false);

    private final String key;
    private final String title;
    private final boolean higherIsBetter;

    Metric(String key, String title, boolean higherIsBetter) {
        this.key = key;
        this.title = title;
        this.higherIsBetter = higherIsBetter;
    }

    public String key() {
        return key;
    }

    public String title() {
        return title;
    }

    public boolean higherIsBetter() {
        return higherIsBetter;
    }
}
