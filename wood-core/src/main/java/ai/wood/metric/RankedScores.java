package ai.wood.metric;

import ai.wood.Interval;
import ai.wood.Quantiles;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.apache.commons.statistics.distribution.BinomialDistribution;
import org.apache.commons.statistics.distribution.NormalDistribution;

/**
 * InD and OOD scores, sorted once; every figure is one walk over them from the highest score down. Equal scores are
 * never told apart.
 */
public final class RankedScores {

    static final double LEVEL = 0.95;

    private static final NormalDistribution NORMAL = NormalDistribution.of(0, 1);
    private static final int DIRECTIONS = 8;

    private final Ranking ind;
    private final Ranking ood;

    private RankedScores(Ranking ind, Ranking ood) {
        this.ind = ind;
        this.ood = ood;
    }

    /** Copies and sorts; refuses empty sets and NaN. */
    public static RankedScores of(double[] ind, double[] ood) {
        return new RankedScores(Ranking.of("InD", ind), Ranking.of("OOD", ood));
    }

    /** The same scores drawn again, as often as given: one replicate of a stratified bootstrap. */
    RankedScores resampled(int[] indCounts, int[] oodCounts) {
        return new RankedScores(ind.resampled(indCounts), ood.resampled(oodCounts));
    }

    public int indCount() {
        return ind.size();
    }

    public int oodCount() {
        return ood.size();
    }

    /** The threshold at which the given share of InD is kept: a quantile with linear interpolation. */
    public double thresholdAtTnr(double tnr) {
        return ind.quantile(tnr);
    }

    /** Share of OOD whose score does not exceed the {@link #thresholdAtTnr}. */
    public double fnrAtTnr(double tnr) {
        return (double) ood.countUpTo(ind.quantile(tnr)) / ood.size();
    }

    /** Share of InD at or above the highest score at which at least the given share of OOD is caught. */
    public double fprAtTpr(double tpr) {
        Walk walk = new Walk();
        while (walk.next()) {
            if ((double) walk.oodSeen / ood.size() >= tpr) {
                break;
            }
        }
        return (double) walk.indSeen / ind.size();
    }

    /** What the FNR may be if the true threshold is among the InD scores that may be it; 0 or 1 beyond them. */
    Interval fnrAtTnr(double tnr, double confidence) {
        return together(confidence, (ofThreshold, ofCount) -> {
            Interval ranks = ranks(ind.size(), tnr, ofThreshold);
            long low = ranks.low() < 1 ? 0 : ood.countUpTo(ind.scores[(int) ranks.low() - 1]);
            long high = ranks.high() > ind.size() ? ood.size() : ood.countUpTo(ind.scores[(int) ranks.high() - 1]);
            return ood.shares(low, high, ofCount);
        });
    }

    /** What the share of alarmed InD may be if the true threshold is among the OOD scores that may be it. */
    Interval fprAtTpr(double tpr, double confidence) {
        return together(confidence, (ofThreshold, ofCount) -> {
            Interval ranks = ranks(ood.size(), tpr, ofThreshold); // from the highest score down
            int low = ranks.low() < 1 ? 0 : ind.countFrom(ood.scores[ood.size() - (int) ranks.low()]);
            int high =
                    ranks.high() > ood.size() ? ind.size() : ind.countFrom(ood.scores[ood.size() - (int) ranks.high()]);
            return ind.shares(low, high, ofCount);
        });
    }

    /**
     * Lets a threshold and what is counted there be wrong at once, the less by the one the more by the other: along a
     * quarter of a circle, as two independent normal errors are. Where scores are continuous the two add up to one error;
     * where a threshold must jump from one tied score to the next both have to be allowed for, which the wider circle does.
     */
    private static Interval together(double confidence, BiFunction<Double, Double, Interval> interval) {
        double radius = NORMAL.inverseSurvivalProbability(0.4 * (1 - confidence)); // 0.5 for one of them alone
        return IntStream.rangeClosed(1, DIRECTIONS)
                .mapToDouble(i -> Math.PI / 2 * i / DIRECTIONS)
                .mapToObj(angle -> interval.apply(
                        Math.min(confidence, within(radius * Math.cos(angle))),
                        Math.min(confidence, within(radius * Math.sin(angle)))))
                .reduce(Interval::and)
                .orElseThrow();
    }

    /** The chance that a normal error is not larger, in deviations. */
    private static double within(double deviations) {
        return 1 - 2 * NORMAL.survivalProbability(deviations);
    }

    /** The order statistics between which a quantile of the law lies, whatever the law is. */
    private static Interval ranks(int count, double level, double confidence) {
        BinomialDistribution below = BinomialDistribution.of(count, level);
        double tail = (1 - confidence) / 2;
        return new Interval(below.inverseCumulativeProbability(tail), below.inverseCumulativeProbability(1 - tail) + 1);
    }

    DeLong.StandardError aurocError() {
        return DeLong.error(ind.scores, ood.scores);
    }

    public double auroc() {
        Walk walk = new Walk();
        double pairs = 0;
        while (walk.next()) {
            pairs += walk.indHere * (walk.oodSeen - 0.5 * walk.oodHere);
        }
        return pairs / ind.size() / ood.size();
    }

    /** Average precision, {@code sum (R_n - R_(n-1)) P_n}, OOD positive. */
    public double auprOut() {
        Walk walk = new Walk();
        double area = 0;
        while (walk.next()) {
            area += walk.oodHere * (walk.oodSeen / (double) (walk.oodSeen + walk.indSeen));
        }
        return area / ood.size();
    }

    /** Average precision with InD positive and scores negated: the same walk seen from below. */
    public double auprIn() {
        Walk walk = new Walk();
        double area = 0;
        while (walk.next()) {
            double indBelow = ind.size() - walk.indSeen + walk.indHere;
            double oodBelow = ood.size() - walk.oodSeen + walk.oodHere;
            area += walk.indHere * (indBelow / (indBelow + oodBelow));
        }
        return area / ind.size();
    }

    /** {@code min (missed OOD + alarmed InD) / 2}; 0.5 where every threshold is useless. */
    public double detectionError() {
        return best().error();
    }

    /**
     * What the detection error may be at its best threshold, missed OOD and alarmed InD each counted as if at their worst
     * or best together: room for having chosen the threshold that looks best.
     */
    Interval detectionError(double confidence) {
        Best best = best();
        Interval ofOod = Interval.ofShare((int) best.missed(), ood.size(), confidence);
        Interval ofInd = Interval.ofShare((int) best.alarmed(), ind.size(), confidence);
        double high = Math.min(0.5, (ofOod.high() + ofInd.high()) / 2);
        return new Interval((ofOod.low() + ofInd.low()) / 2, Math.max(best.error(), high));
    }

    private Best best() {
        Best best = new Best(0.5, ood.size(), 0); // no alarm at all
        Walk walk = new Walk();
        while (walk.next()) {
            double error = (1 - (double) walk.oodSeen / ood.size() + (double) walk.indSeen / ind.size()) / 2;
            if (error < best.error()) {
                best = new Best(error, ood.size() - walk.oodSeen, walk.indSeen);
            }
        }
        return best;
    }

    /** What the threshold with the least detection error does: how many OOD samples it misses, how many InD it alarms. */
    private record Best(double error, long missed, long alarmed) {}

    public double value(Metric metric) {
        return switch (metric) {
            case AUROC -> auroc();
            case FNR95 -> fnrAtTnr(LEVEL);
            case FPR95_OPENOOD -> fprAtTpr(LEVEL);
            case AUPR_IN -> auprIn();
            case AUPR_OUT -> auprOut();
            case DETECTION_ERROR -> detectionError();
        };
    }

    /**
     * A point of a curve.
     *
     * @param threshold samples scoring at least this much are alarmed
     * @param indShare share of InD alarmed
     * @param oodShare share of OOD alarmed: recall
     * @param precision share of OOD among the alarmed, in these samples
     */
    public record Point(double threshold, double indShare, double oodShare, double precision) {}

    /** The ROC and precision-recall curve, highest threshold first, thinned to about the given number of points. */
    public List<Point> curve(int points) {
        long step = Math.max(1, (ind.size() + ood.size()) / Math.max(1, points));
        List<Point> curve = new ArrayList<>();
        curve.add(new Point(Double.POSITIVE_INFINITY, 0, 0, 1));
        Walk walk = new Walk();
        long next = 0;
        while (walk.next()) {
            long seen = walk.indSeen + walk.oodSeen;
            if (seen >= next || seen == ind.size() + ood.size()) {
                curve.add(new Point(
                        walk.score,
                        (double) walk.indSeen / ind.size(),
                        (double) walk.oodSeen / ood.size(),
                        (double) walk.oodSeen / seen));
                next = seen + step;
            }
        }
        return curve;
    }

    /** Steps through the distinct scores from the highest down and counts what lies at or above each. */
    private final class Walk {
        private int i = ind.scores.length - 1;
        private int o = ood.scores.length - 1;
        double score;
        long indHere;
        long oodHere;
        long indSeen;
        long oodSeen;

        /** Goes on to the next score that was drawn at all. */
        boolean next() {
            do {
                if (i < 0 && o < 0) {
                    return false;
                }
                step();
            } while (indHere + oodHere == 0);
            indSeen += indHere;
            oodSeen += oodHere;
            return true;
        }

        private void step() {
            double[] indScores = ind.scores;
            double[] oodScores = ood.scores;
            double fromInd = i < 0 ? Double.NEGATIVE_INFINITY : indScores[i];
            double fromOod = o < 0 ? Double.NEGATIVE_INFINITY : oodScores[o];
            score = Math.max(fromInd, fromOod);
            indHere = 0;
            for (; i >= 0 && indScores[i] == score; i--) {
                indHere += ind.count(i);
            }
            oodHere = 0;
            for (; o >= 0 && oodScores[o] == score; o--) {
                oodHere += ood.count(o);
            }
        }
    }

    /** Sorted scores and, in a bootstrap replicate, how often each was drawn. */
    private static final class Ranking {

        private static final int[] ONCE = {};

        private final double[] scores;
        private final int[] counts;

        private Ranking(double[] scores, int[] counts) {
            this.scores = scores;
            this.counts = counts;
        }

        static Ranking of(String what, double[] scores) {
            if (scores.length == 0) {
                throw new IllegalArgumentException("there must be at least one " + what + " score but there is none");
            }
            return new Ranking(Quantiles.sortedCopy(what, scores), ONCE);
        }

        Ranking resampled(int[] newCounts) {
            return new Ranking(scores, newCounts);
        }

        /** A bootstrap replicate draws as many scores as there are. */
        int size() {
            return scores.length;
        }

        int count(int index) {
            return counts.length == 0 ? 1 : counts[index];
        }

        long countUpTo(double score) {
            int end = Quantiles.countUpTo(scores, score);
            if (counts.length == 0) {
                return end;
            }
            long count = 0;
            for (int i = 0; i < end; i++) {
                count += counts[i];
            }
            return count;
        }

        /** Of scores that were not drawn again. */
        int countFrom(double score) {
            return scores.length - Quantiles.countBelow(scores, score);
        }

        /** What the shares may be of which one count or the other was seen. */
        Interval shares(long low, long high, double confidence) {
            return new Interval(
                    Interval.ofShare((int) low, size(), confidence).low(),
                    Interval.ofShare((int) high, size(), confidence).high());
        }

        double quantile(double level) {
            return counts.length == 0
                    ? Quantiles.linear(scores, level)
                    : Quantiles.interpolate(scores.length, level, this::orderStatistic);
        }

        private double orderStatistic(int rank) {
            int i = 0;
            for (int passed = counts[0]; passed <= rank; passed += counts[i]) {
                i++;
            }
            return scores[i];
        }
    }
}
