package ai.wood.calibrate;

import java.util.List;
import java.util.function.DoubleUnaryOperator;

/**
 * A game against the claim that p-values are independent and uniform: capital starts at 1, and in a fair game it stays a
 * martingale, so that by Ville's inequality it ever reaches {@code 1/alpha} with a chance of at most {@code alpha}.
 *
 * <p>Before p-value number {@code t} the share {@code 1/(t (t+1))} of the first capital enters the game, so that a change is
 * found whenever it comes: what was lost before it does not matter. What is in the game is spread over bets on small
 * p-values, which pay in proportion to {@code p^(k-1)}, and on large ones, to {@code (1-p)^(k-1)}; each pays 1 on average.
 * Nearer to 0 or 1 than {@value #EDGE} they pay no more, so that no single p-value can win the game.
 */
final class Bets {

    private static final double EDGE = 0.01;
    private static final List<DoubleUnaryOperator> PAYOFFS =
            List.of(onSmall(0.25), onSmall(0.5), onSmall(0.75), onLarge(0.25), onLarge(0.5), onLarge(0.75));

    private final double[] stakes = new double[PAYOFFS.size()];
    private long games;

    private static DoubleUnaryOperator onSmall(double k) {
        double atEdge = Math.pow(EDGE, k);
        double average = atEdge + (1 - atEdge) / k;
        return p -> Math.pow(Math.max(EDGE, p), k - 1) / average;
    }

    private static DoubleUnaryOperator onLarge(double k) {
        DoubleUnaryOperator onSmall = onSmall(k);
        return p -> onSmall.applyAsDouble(1 - p);
    }

    /** Plays one p-value. */
    void play(double p) {
        games++;
        double entering = 1.0 / games / (games + 1) / stakes.length;
        for (int i = 0; i < stakes.length; i++) {
            stakes[i] = Math.min(
                    Double.MAX_VALUE, (stakes[i] + entering) * PAYOFFS.get(i).applyAsDouble(p));
        }
    }

    /** What is in the game, and what has not entered it yet. */
    double capital() {
        double sum = 1.0 / (games + 1);
        for (double stake : stakes) {
            sum += stake;
        }
        return Math.min(Double.MAX_VALUE, sum);
    }
}
