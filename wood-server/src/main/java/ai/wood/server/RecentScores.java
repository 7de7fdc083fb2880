package ai.wood.server;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.datasketches.kll.KllDoublesSketch;

/**
 * The scores of the last hour, as sketches of five minutes each that are merged when somebody asks (KLL: Karnin, Lang and
 * Liberty, FOCS 2016; quantiles of rank error below 1.4%). Constant memory; safe to use by several threads.
 */
final class RecentScores {

    private static final Duration SPAN = Duration.ofMinutes(5);
    private static final int SPANS = 12;

    private final InstantSource clock;
    private final Deque<Slot> slots = new ArrayDeque<>();

    private static final class Slot {
        private final long span;
        private final KllDoublesSketch scores = KllDoublesSketch.newHeapInstance();
        private long ood;

        Slot(long span) {
            this.span = span;
        }
    }

    /** What there was: a mergeable sketch of the scores, and how many of them were judged OOD. */
    record Summary(KllDoublesSketch scores, long judged, long ood) {

        /** The score below which a share of the samples lies; NaN where there were none. */
        double quantile(double level) {
            return scores.isEmpty() ? Double.NaN : scores.getQuantile(level);
        }

        /** The share judged OOD; NaN where there were none. */
        double oodRate() {
            return (double) ood / judged;
        }
    }

    RecentScores(InstantSource clock) {
        this.clock = clock;
    }

    private long span() {
        return clock.instant().getEpochSecond() / SPAN.toSeconds();
    }

    /** NaN, which a sketch does not hold, counts as the largest score. */
    synchronized void add(double score, boolean ood) {
        long now = span();
        forget(now);
        if (slots.isEmpty() || slots.getLast().span != now) {
            slots.add(new Slot(now));
        }
        Slot slot = slots.getLast();
        slot.scores.update(Double.isNaN(score) ? Double.POSITIVE_INFINITY : score);
        slot.ood += ood ? 1 : 0;
    }

    /** Those that are yet to come were taken before the clock was set back. */
    private void forget(long now) {
        slots.removeIf(slot -> slot.span <= now - SPANS || slot.span > now);
    }

    synchronized Summary summary() {
        forget(span());
        KllDoublesSketch all = KllDoublesSketch.newHeapInstance();
        slots.forEach(slot -> all.merge(slot.scores));
        return new Summary(
                all, all.getN(), slots.stream().mapToLong(slot -> slot.ood).sum());
    }
}
