package ai.wood.torch.train;

/**
 * Informative outlier mining: before each epoch the network scores a random pool of the OOD training samples, and the
 * epoch draws its outliers from a quarter of the pool, beginning at a quantile of the scores from the lowest up. The
 * lowest are hardest to tell from InD, and some of them may be InD in truth, hence a quantile above 0.
 *
 * @param quantile where the chosen quarter begins, from 0 (the hardest) to 0.75 (the easiest); the original takes 0.125
 *     for CIFAR-10
 * @param pool how many samples are scored; 0 for all
 * @see <a href="https://arxiv.org/abs/2006.15207">Chen et al. 2021, ATOM: Robustifying Out-of-distribution Detection
 *     Using Outlier Mining</a>
 */
public record Mining(double quantile, int pool) {

    /** The original chooses 100,000 of a pool of 400,000. */
    static final double SHARE = 0.25;

    public Mining {
        if (!(quantile >= 0 && quantile <= 1 - SHARE)) {
            throw new IllegalArgumentException("the quantile to mine from must lie in [0, 0.75] but is " + quantile);
        }
        if (pool < 0) {
            throw new IllegalArgumentException("the pool must not be negative but is " + pool);
        }
    }
}
