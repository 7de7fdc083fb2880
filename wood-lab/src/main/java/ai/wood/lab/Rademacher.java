package ai.wood.lab;

import ai.wood.Matrix;
import java.util.SplittableRandom;

/**
 * Empirical Rademacher complexity of a finite set of hypotheses, {@code E_sigma max_g (1/N) sum_i sigma_i g(z_i)},
 * estimated over random signs: how well the set can fit pure noise.
 *
 * @param value the estimate
 * @param standardError of the estimate
 */
record Rademacher(double value, double standardError) {

    /**
     * Estimates the complexity by drawing signs.
     *
     * @param hypotheses one row per hypothesis, its value on each sample
     * @param draws number of random sign vectors, at least 2
     * @param seed same seed, same estimate
     */
    public static Rademacher estimate(Matrix hypotheses, int draws, long seed) {
        if (draws < 2 || hypotheses.rows() == 0) {
            throw new IllegalArgumentException(
                    "an estimate needs hypotheses and at least 2 draws but has " + hypotheses.rows() + " and " + draws);
        }
        SplittableRandom random = new SplittableRandom(seed);
        double sum = 0;
        double squares = 0;
        for (int draw = 0; draw < draws; draw++) {
            double best = bestFit(hypotheses, signs(hypotheses.columns(), random));
            sum += best;
            squares += best * best;
        }
        double mean = sum / draws;
        double variance = Math.max(0, squares / draws - mean * mean) * draws / (draws - 1);
        return new Rademacher(mean, Math.sqrt(variance / draws));
    }

    private static double[] signs(int count, SplittableRandom random) {
        double[] signs = new double[count];
        for (int i = 0; i < count; i++) {
            signs[i] = random.nextBoolean() ? 1 : -1;
        }
        return signs;
    }

    private static double bestFit(Matrix hypotheses, double[] signs) {
        double best = Double.NEGATIVE_INFINITY;
        double[] values = new double[signs.length];
        for (int h = 0; h < hypotheses.rows(); h++) {
            hypotheses.copyRow(h, values);
            double fit = 0;
            for (int i = 0; i < signs.length; i++) {
                fit += signs[i] * values[i];
            }
            best = Math.max(best, fit / signs.length);
        }
        return best;
    }
}
