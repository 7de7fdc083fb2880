package ai.wood.data;

import ai.wood.Head;
import ai.wood.Outputs;
import java.util.List;
import java.util.Optional;

/**
 * A trained classifier: images in, {@link Outputs} out.
 *
 * <p>Implementations hold an engine's memory until they are closed, and may be used by several threads at once. An
 * image's outputs do not depend on the images beside it.
 */
public interface Network extends AutoCloseable {

    /** The outputs of the images, one row each, in their order. */
    Outputs forward(List<Image> images);

    /** The outputs with the features of intermediate layers too, where the network shows them. */
    default Outputs forwardDetailed(List<Image> images) {
        return forward(images);
    }

    /** The last layer, where the network ends in a linear one that reads the features. */
    default Optional<Head> head() {
        return Optional.empty();
    }

    @Override
    void close();
}
