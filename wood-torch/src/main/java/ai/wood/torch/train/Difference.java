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

    /**
     * The first difference of two descriptions in JSON, in words.
     *
     * @param free what they need not agree about
     */
    static Optional<String> first(String theirs, String ours, String... free) throws JsonProcessingException {
        return first("", JSON.readTree(theirs), JSON.readTree(ours), Set.of(free));
    }

    private static Optional<String> first(String path, JsonNode theirs, JsonNode ours, Set<String> free) {
        if (!theirs.isObject() || !ours.isObject()) {
            return theirs.equals(ours) || free.contains(path)
                    ? Optional.empty()
                    : Optional.of(path + " is " + told(theirs) + " there and " + told(ours) + " here");
        }
        Set<String> names = new LinkedHashSet<>();
        ours.fieldNames().forEachRemaining(names::add);
        theirs.fieldNames().forEachRemaining(names::add);
        return names.stream()
                .map(name -> first(path.isEmpty() ? name : path + "." + name, theirs.path(name), ours.path(name), free))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static String told(JsonNode node) {
        return node.isMissingNode() ? "missing" : node.toString();
    }
}
