package ai.wood.data;

import java.util.List;

/**
 * Adds datasets to the {@link Catalogue}. To add your own, implement it and name the class in the file
 * {@code META-INF/services/ai.wood.data.DatasetProvider} of your jar.
 */
@FunctionalInterface
public interface DatasetProvider {

    /** The datasets, whose names must differ from all others. */
    List<DatasetEntry> datasets();
}
