package ai.wood.metric;

import ai.wood.Interval;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * The figures of one scorer on one pair of InD and OOD test sets.
 *
 * @param values every metric
 * @param intervals their bootstrap intervals; empty where none were asked for
 * @param indCount number of InD samples
 * @param oodCount number of OOD samples
 */
public record Evaluation(Map<Metric, Double> values, Map<Metric, Interval> intervals, int indCount, int oodCount) {

    public Evaluation {
        values = Map.copyOf(values);
        intervals = Map.copyOf(intervals);
        if (values.size() != Metric.values().length) {
            throw new IllegalArgumentException("an evaluation needs all metrics but has only " + values.keySet());
        }
    }

    public static Evaluation of(double[] ind, double[] ood, Bootstrap bootstrap) {
        RankedScores scores = RankedScores.of(ind, ood);
        Map<Metric, Double> values = new EnumMap<>(Metric.class);
        for (Metric metric : Metric.values()) {
            values.put(metric, scores.value(metric));
        }
        return new Evaluation(values, bootstrap.intervals(scores), ind.length, ood.length);
    }

    @SuppressWarnings("NullAway") // the constructor has seen to it that all metrics are there
    public double value(Metric metric) {
        return values.get(metric);
    }

    public Optional<Interval> interval(Metric metric) {
        return Optional.ofNullable(intervals.get(metric));
    }
}
