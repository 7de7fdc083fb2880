package ai.wood.cli;

import ai.wood.data.Catalogue;
import java.util.Iterator;

/** Names for completion. */
final class DatasetNames implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
        return Catalogue.names().iterator();
    }
}
