package ai.wood.torch.train;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/** What two trainings that should be the same do not agree about. */
final class Difference {

    private static final ObjectMapper JSON = new ObjectMapper();

    private Difference() {}

    /** The first difference of two descriptions in JSON, in words. */
    static Optional<String> first(String theirs, String ours) throws JsonProcessingException {
        return first("", JSON.readTree(theirs), JSON.readTree(ours));
    }

    private static Optional<String> first(String path, JsonNode theirs, JsonNode ours) {
        if (!theirs.isObject() || !ours.isObject()) {
            return theirs.equals(ours)
                    ? Optional.empty()
                    : Optional.of(path + " is " + told(theirs) + " there and " + told(ours) + " here");
        }
        Set<String> names = new LinkedHashSet<>();
        ours.fieldNames().forEachRemaining(names::add);
        theirs.fieldNames().forEachRemaining(names::add);
        return names.stream()
                .flatMap(name ->
                        first(path.isEmpty() ? name : path + "." + name, theirs.path(name), ours.path(name)).stream())
                .findFirst();
    }

    private static String told(JsonNode node) {
        return node.isMissingNode() ? "missing" : node.toString();
    }
}
