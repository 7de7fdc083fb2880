package ai.wood.calibrate;

import ai.wood.Seed;
import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * Tells, score by score, whether new samples still come from where the calibration samples came from: a conformal test
 * martingale.
 *
 * <p>Each score is ranked among the calibration scores and all new ones before it; {@link #evidence} is the capital of one
 * who bets against its rank being random. If calibration and new samples are exchangeable, the alarm <em>ever</em> fires
 * with a chance of at most {@code alpha}, however long the test runs. Samples that depend on each other, such as frames of
 * a film or the same picture sent again and again, are not exchangeable and may fire it.
 *
 * <p>A few calibration scores, drawn at random, take no part in the ranks: they tell near which scores others have to be told
 * apart finely. Memory is bounded. Safe to use by several threads.
 *
 * <p>After Vovk et al., Retrain or not retrain: conformal test martingales for change-point detection, COPA 2021.
 */
public final class DriftTest {

    /** One of them may be an outlier; that all are is unlikely. */
    private static final int TYPICAL = 3;

    private final double alpha;
    private final ScoreRanks ranks;
    private final Bets bets = new Bets();
    private final RandomGenerator random;
    private long samples;
    private long firedAt;

    /**
     * Begins a test.
     *
     * @param calibration scores of held-out InD samples
     * @param alpha the chance of a false alarm, over all time, in (0, 1)
     * @param seed draws the order among equal scores, and which calibration scores take no part
     */
    public DriftTest(double[] calibration, double alpha, Seed seed) {
        if (!(alpha > 0 && alpha < 1)) {
            throw new IllegalArgumentException(
                    "the chance of a false alarm must lie strictly between 0 and 1 but is " + alpha);
        }
        if (calibration.length == 0) {
            throw new IllegalArgumentException("a drift test needs calibration scores but got none");
        }
        this.alpha = alpha;
        this.random = seed.random();
        int aside = Math.min(TYPICAL, calibration.length / 4);
        double[] drawn = Arrays.stream(seed.at(0).permutation(calibration.length))
                .mapToDouble(i -> calibration[i])
                .toArray();
        this.ranks = new ScoreRanks(Arrays.copyOf(drawn, aside));
        Arrays.stream(drawn, aside, drawn.length).forEach(ranks::add);
    }

    /** Takes the next score; tells whether it has fired the alarm, which happens once. */
    public synchronized boolean add(double score) {
        samples++;
        if (firedAt > 0) {
            return false;
        }
        bets.play(ranks.pValue(score, random.nextDouble()));
        if (bets.capital() < 1 / alpha) {
            return false;
        }
        firedAt = samples;
        return true;
    }

    /** Capital won by betting against chance: starts at 1, fires the alarm at {@code 1/alpha}, and stays there. */
    public synchronized double evidence() {
        return bets.capital();
    }

    /** How many scores there were. */
    public synchronized long samples() {
        return samples;
    }

    /** The number of the score that fired the alarm, from 1; 0 for none. */
    public synchronized long firedAt() {
        return firedAt;
    }
}
