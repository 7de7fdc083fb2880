package ai.wood.evaluate;

import ai.wood.Interval;
import ai.wood.metric.Evaluation;
import ai.wood.metric.Metric;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A metric with its interval. In JSON it is a number, or an object with {@code value}, {@code low} and {@code high}.
 *
 * @param interval empty if none was computed
 */
public record Measured(double value, Optional<Interval> interval) {

    static Measured of(Evaluation evaluation, Metric metric) {
        return new Measured(evaluation.value(metric), evaluation.interval(metric));
    }

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    static Measured of(JsonNode json) {
        if (json.isNumber()) {
            return new Measured(json.doubleValue(), Optional.empty());
        }
        boolean complete = json.size() == 3
                && json.path("value").isNumber()
                && json.path("low").isNumber()
                && json.path("high").isNumber();
        if (!complete) {
            throw new IllegalArgumentException(
                    "a metric must be a number or an object with value, low and high but is " + json);
        }
        Interval interval =
                new Interval(json.path("low").doubleValue(), json.path("high").doubleValue());
        return new Measured(json.path("value").doubleValue(), Optional.of(interval));
    }

    @JsonValue
    Object json() {
        return interval.<Object>map(ends -> {
                    Map<String, Double> json = new LinkedHashMap<>();
                    json.put("value", value);
                    json.put("low", ends.low());
                    json.put("high", ends.high());
                    return json;
                })
                .orElse(value);
    }
}
