package ai.wood.evaluate;

import ai.wood.Names;
import ai.wood.data.Catalogue;
import ai.wood.data.DatasetEntry;
import java.util.Optional;

/** How much an OOD set looks like the InD set: near ones are harder to detect, so averages are reported by distance. */
public enum Distance {
    NEAR,
    FAR,
    /** Nothing states it. The set counts only in the average of all sets. */
    UNKNOWN;

    /**
     * The distance of two sets by their names in the catalogue, as their families state it ({@link DatasetEntry#family});
     * OOD made from the InD images is near.
     */
    public static Distance of(String ind, String ood) {
        if (ood.endsWith(":" + ind)) {
            return NEAR;
        }
        Optional<String> family = Catalogue.family(ind);
        Optional<String> other = Catalogue.family(ood);
        return family.isEmpty() || other.isEmpty() ? UNKNOWN : family.equals(other) ? NEAR : FAR;
    }

    /** The word for people and files: {@code near}. */
    public String id() {
        return Names.of(this);
    }
}
