package ai.wood.score;

import ai.wood.Matrix;
import ai.wood.Outputs;
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
public final class RelativeMahalanobisScorer implements Scorer {

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
    public static RelativeMahalanobisScorer fit(Outputs ind, List<Integer> labels) {
        return new RelativeMahalanobisScorer(
                MahalanobisDistance.fit(new Features(ind.features(), labels, ind.classes())),
                MahalanobisDistance.fit(new Features(ind.features(), Collections.nCopies(labels.size(), 0), 1)));
    }

    static RelativeMahalanobisScorer of(Statistics statistics) {
        return new RelativeMahalanobisScorer(
                MahalanobisDistance.of(statistics.under("classes.")), MahalanobisDistance.of(statistics.under("all.")));
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
    public Map<String, Matrix> statistics() {
        Map<String, Matrix> all = Statistics.prefixed("classes.", fromClasses.statistics());
        all.putAll(Statistics.prefixed("all.", fromAll.statistics()));
        return all;
    }
}
