package ai.wood.score;

import ai.wood.FitData;
import ai.wood.Names;
import ai.wood.Scorer;
import ai.wood.ScorerKind;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;

/**
 * The catalogue of scorer kinds: the built-in ones, then those that {@link ServiceLoader} finds with the thread's
 * context class loader. A larger score always means more OOD.
 */
public final class ScorerKinds {

    private ScorerKinds() {}

    /**
     * All kinds.
     *
     * @throws IllegalStateException if two have the same id
     */
    public static List<ScorerKind> all() {
        List<ScorerKind> kinds = new ArrayList<>(List.of(BuiltInKind.values()));
        ServiceLoader.load(ScorerKind.class).forEach(kinds::add);
        Set<String> ids = new LinkedHashSet<>();
        for (ScorerKind kind : kinds) {
            if (!ids.add(kind.id())) {
                throw new IllegalStateException("two scorers have the id '" + kind.id() + "': "
                        + kind.getClass().getName() + " is the second. Rename it or remove its jar.");
            }
        }
        return kinds;
    }

    /** The ids of all kinds. */
    public static List<String> ids() {
        return all().stream().map(ScorerKind::id).toList();
    }

    /**
     * The kind of an id.
     *
     * @throws IllegalArgumentException if there is none; the message suggests the closest id
     */
    public static ScorerKind byId(String id) {
        return Names.find("scorer", id, all().toArray(ScorerKind[]::new), ScorerKind::id);
    }

    /** The scorer of a kind that needs no data to fit to, with its default settings. */
    public static Scorer formula(String id) {
        ScorerKind kind = byId(id);
        return kind.fit(FitData.NONE, kind.settings());
    }

    /** The WOOD score, {@code min_k W(f, y^k)}. */
    public static ScorerKind wood() {
        return BuiltInKind.WOOD;
    }

    /** Maximum softmax probability, {@code 1 - max f}. */
    public static ScorerKind msp() {
        return BuiltInKind.MSP;
    }

    /** The energy, {@code -log sum exp z}. */
    public static ScorerKind energy() {
        return BuiltInKind.ENERGY;
    }

    /** The distance from the k-th nearest training sample. */
    public static ScorerKind knn() {
        return BuiltInKind.KNN;
    }

    /** The Mahalanobis distance from the nearest class mean. */
    public static ScorerKind mahalanobis() {
        return BuiltInKind.MAHALANOBIS;
    }
}
