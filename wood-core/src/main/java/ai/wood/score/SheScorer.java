package ai.wood.score;

import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Parameters;
import ai.wood.Scorer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Simplified Hopfield energy {@code -<h, m_k>}: the inner product of the features with the stored pattern of the
 * predicted class, the mean of its rightly classified training samples. A class without such samples has stored nothing
 * and scores 0.
 *
 * @see <a href="https://openreview.net/forum?id=KkazG4lgKL">Zhang et al. 2023, Out-of-Distribution Detection based on
 *     In-Distribution Data Patterns Memorization with Modern Hopfield Energy</a>
 */
final class SheScorer implements Scorer {

    private final Matrix patterns;

    private SheScorer(Matrix patterns) {
        this.patterns = patterns;
    }

    /** Stores the pattern of each class. */
    static SheScorer fit(Outputs ind, List<Integer> labels) {
        double[][] patterns = Features.of(ind, labels).means(r -> ind.label(r) == labels.get(r));
        for (double[] pattern : patterns) {
            if (Double.isNaN(pattern[0])) {
                Arrays.fill(pattern, 0);
            }
        }
        return new SheScorer(Matrix.of(patterns));
    }

    static SheScorer of(Parameters parameters) {
        return new SheScorer(parameters.matrix("patterns"));
    }

    @Override
    public double[] score(Outputs outputs) {
        Matrix features = Features.requireWidth(outputs.features(), patterns.columns());
        if (outputs.predictions().columns() != patterns.rows()) {
            throw new IllegalArgumentException("the scorer was fitted to " + patterns.rows()
                    + " classes but the classifier has " + outputs.classes());
        }
        double[] scores = new double[features.rows()];
        for (int r = 0; r < scores.length; r++) {
            scores[r] = -patterns.dot(outputs.label(r), features.row(r));
        }
        return Features.ofPredicted(outputs, scores);
    }

    @Override
    public Map<String, Matrix> parameters() {
        return Map.of("patterns", patterns);
    }
}
