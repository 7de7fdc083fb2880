package ai.wood.score;

import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Parameters;
import ai.wood.Scorer;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * The relative Mahalanobis distance {@code min_k MD_k(h) - MD_0(h)}: the squared distance from the nearest class mean
 * under the covariance within classes, less that from the mean of all samples under their whole covariance. What is far
 * in directions that do not tell classes apart counts no longer, which helps where OOD is near InD.
 *
 * @see <a href="https://arxiv.org/abs/2106.09022">Ren et al. 2021, A Simple Fix to Mahalanobis Distance for Improving
 *     Near-OOD Detection</a>
 */
final class RelativeMahalanobisScorer implements Scorer {

    private final MahalanobisDistance fromClasses;
    private final MahalanobisDistance fromAll;

    private RelativeMahalanobisScorer(MahalanobisDistance fromClasses, MahalanobisDistance fromAll) {
        this.fromClasses = fromClasses;
        this.fromAll = fromAll;
    }

    /**
     * Estimates both Gaussians.
     *
     * @param ind outputs with features, of samples the network was trained on
     * @param labels their true labels
     */
    static RelativeMahalanobisScorer fit(Outputs ind, List<Integer> labels) {
        return new RelativeMahalanobisScorer(
                MahalanobisDistance.fit(Features.of(ind, labels), false),
                MahalanobisDistance.fit(new Features(ind.features(), Collections.nCopies(labels.size(), 0), 1), false));
    }

    static RelativeMahalanobisScorer of(Parameters parameters) {
        return new RelativeMahalanobisScorer(
                MahalanobisDistance.of(parameters.under("classes."), false),
                MahalanobisDistance.of(parameters.under("all."), false));
    }

    @Override
    public double[] score(Outputs outputs) {
        double[] scores = fromClasses.of(outputs.features());
        double[] background = fromAll.of(outputs.features());
        for (int r = 0; r < scores.length; r++) {
            scores[r] -= background[r];
        }
        return scores;
    }

    @Override
    public Map<String, Matrix> parameters() {
        Map<String, Matrix> all = Parameters.prefixed("classes.", fromClasses.parameters());
        all.putAll(Parameters.prefixed("all.", fromAll.parameters()));
        return all;
    }
}
