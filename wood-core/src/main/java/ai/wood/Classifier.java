package ai.wood;

import java.util.List;
import java.util.Optional;

/**
 * Turns samples into outputs: an image network, a text encoder with a head, a table of features.
 *
 * <p>An implementation may hold an engine's memory until it is closed. Several threads may use it at once. The outputs of
 * a sample do not depend on the other samples of the list.
 *
 * @param <T> the type of a sample
 */
public interface Classifier<T> extends AutoCloseable {

    /** The outputs of the samples, one row each, in their order. */
    Outputs classify(List<T> samples);

    /** The outputs with the features of intermediate layers, if the classifier gives them. */
    default Outputs classifyDetailed(List<T> samples) {
        return classify(samples);
    }

    /** The last layer, if it is linear and reads the features. */
    default Optional<Head> head() {
        return Optional.empty();
    }

    /** Whether its engine computes gradients by the input, which some scorers need. */
    default boolean hasInputGradient() {
        return false;
    }

    @Override
    void close();
}
