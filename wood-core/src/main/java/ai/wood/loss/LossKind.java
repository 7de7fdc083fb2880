package ai.wood.loss;

import ai.wood.Names;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;

/**
 * A loss that can be chosen by name. A new loss is a class of this type and its name in {@code
 * META-INF/services/ai.wood.loss.LossKind}, in this module or in another jar.
 */
public interface LossKind {

    /** The name of the loss, in lower case. */
    String id();

    /** One line for lists of losses. */
    String description();

    /** The names of the {@link LossSettings} that this loss reads. */
    default Set<String> settings() {
        return Set.of();
    }

    /**
     * Makes the loss.
     *
     * @throws IllegalArgumentException if a setting does not suit it
     */
    Loss create(LossSettings settings);

    /** Returns all losses of the class path. */
    static List<LossKind> all() {
        return ServiceLoader.load(LossKind.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
    }

    /**
     * Returns the loss with a name.
     *
     * @throws IllegalArgumentException if there is none, with the closest match
     */
    static LossKind byId(String id) {
        List<LossKind> all = all();
        return all.stream()
                .filter(kind -> kind.id().equals(id))
                .findFirst()
                .orElseThrow(() ->
                        Names.unknown("loss", id, all.stream().map(LossKind::id).toList()));
    }
}
