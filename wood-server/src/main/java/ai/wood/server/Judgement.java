package ai.wood.server;

import ai.wood.Verdict;
import java.util.List;

/**
 * A verdict and the probabilities behind it.
 *
 * @param probabilities of the classes, in the order of the labels
 */
record Judgement(Verdict verdict, List<Double> probabilities) {

    Judgement {
        probabilities = List.copyOf(probabilities);
    }
}
