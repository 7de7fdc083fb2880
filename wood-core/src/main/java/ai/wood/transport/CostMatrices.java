package ai.wood.transport;

import ai.wood.Matrix;
import java.util.List;

/** Builds cost matrices from what is known about the classes. */
final class CostMatrices {

    /** The cost of moving from class i to class j. */
    @FunctionalInterface
    interface Entry {
        double cost(int i, int j);
    }

    private CostMatrices() {}

    static Matrix fill(int classes, Entry entry) {
        double[] costs = new double[Math.multiplyExact(classes, classes)];
        for (int i = 0; i < classes; i++) {
            for (int j = 0; j < classes; j++) {
                costs[i * classes + j] = entry.cost(i, j);
            }
        }
        return Matrix.wrap(costs, classes);
    }

    static CustomCost ofHierarchy(List<List<String>> paths) {
        if (paths.stream().distinct().count() < paths.size()) {
            throw new IllegalArgumentException("two classes stand at the same place of the hierarchy");
        }
        return scaled(fill(paths.size(), (i, j) -> {
            List<String> from = paths.get(i);
            List<String> to = paths.get(j);
            int common = 0;
            while (common < Math.min(from.size(), to.size()) && from.get(common).equals(to.get(common))) {
                common++;
            }
            return from.size() + to.size() - 2 * common;
        }));
    }

    static CustomCost ofClassMeans(Matrix means) {
        return scaled(fill(means.rows(), (i, j) -> {
            double square = 0;
            for (int d = 0; d < means.columns(); d++) {
                double difference = means.get(i, d) - means.get(j, d);
                square += difference * difference;
            }
            return Math.sqrt(square);
        }));
    }

    static CustomCost ofConfusion(Matrix counts) {
        int classes = counts.rows();
        if (counts.columns() != classes) {
            throw new IllegalArgumentException(
                    "a confusion matrix must be square but is " + classes + " x " + counts.columns());
        }
        double[] totals = new double[classes];
        for (int i = 0; i < classes; i++) {
            totals[i] = Rows.sum(counts.row(i));
            if (!(totals[i] > 0)) {
                throw new IllegalArgumentException(
                        "every class needs at least one sample in the confusion matrix but class " + i + " has none");
            }
        }
        return new CustomCost(fill(
                classes, (i, j) -> i == j ? 0 : 1 - (counts.get(i, j) / totals[i] + counts.get(j, i) / totals[j]) / 2));
    }

    private static CustomCost scaled(Matrix costs) {
        double largest = new CustomCost(costs).largest();
        if (!(largest > 0)) {
            throw new IllegalArgumentException("all classes lie at the same place, so every cost would be zero");
        }
        return new CustomCost(fill(costs.rows(), (i, j) -> costs.get(i, j) / largest));
    }
}
