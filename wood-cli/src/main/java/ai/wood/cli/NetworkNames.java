package ai.wood.cli;

import ai.wood.torch.net.Networks;
import java.util.Arrays;
import java.util.Iterator;

/** Names for help and completion. */
public final class NetworkNames implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
        return Arrays.stream(Networks.values()).map(Networks::id).iterator();
    }
}
