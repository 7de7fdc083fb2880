package ai.wood.calibrate;

import java.util.Arrays;

/**
 * Benjamini and Hochberg's procedure over a batch of p-values: among the samples it declares OOD, at most a share
 * {@code q} is expected to be InD. Conformal p-values from one calibration set qualify (Bates et al. 2023).
 */
public final class BenjaminiHochberg {

    /** 0.1 is 0.3 * 1 / 3, whatever binary fractions say. */
    private static final double ROUNDING = 1e-12;

    private BenjaminiHochberg() {}

    /**
     * Which samples are declared OOD: all with a p-value up to the largest {@code p_(i) <= q i / n}.
     *
     * @param q the share of false alarms among the alarms to stay below, in (0, 1)
     */
    public static boolean[] ood(double[] pValues, double q) {
        if (!(q > 0 && q < 1)) {
            throw new IllegalArgumentException("q must lie strictly between 0 and 1 but is " + q);
        }
        double[] sorted = pValues.clone();
        Arrays.sort(sorted);
        double cut = -1;
        for (int i = 0; i < sorted.length; i++) {
            if (sorted[i] <= q * (i + 1) / sorted.length * (1 + ROUNDING)) {
                cut = sorted[i];
            }
        }
        boolean[] ood = new boolean[pValues.length];
        for (int i = 0; i < ood.length; i++) {
            ood[i] = pValues[i] <= cut;
        }
        return ood;
    }
}
