package ai.wood.cli;

import ai.wood.Interval;
import ai.wood.metric.DeLong;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON for machines: stable keys in a stable order. */
public final class Json {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Json() {}

    public static String pretty(Map<String, ?> values) {
        try {
            return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(values);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** On one line. */
    static String line(Map<String, ?> values) {
        try {
            return MAPPER.writeValueAsString(values);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** JSON knows neither NaN nor infinity. */
    static @Nullable Double finite(double value) {
        return Double.isFinite(value) ? value : null;
    }

    static Map<String, Object> of(DeLong test) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("auroc", test.first());
        json.put("otherAuroc", test.second());
        json.put("pValue", test.pValue());
        return json;
    }

    static List<Double> of(Interval interval) {
        return List.of(interval.low(), interval.high());
    }
}
