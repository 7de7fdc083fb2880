package ai.wood.transport;

import ai.wood.Matrix;
import ai.wood.Names;
import ai.wood.RowFunction;
import java.util.List;

/**
 * The rule that prices moving predicted mass from one class to another, and with it the WOOD score.
 *
 * <p>Transport to a one-hot vector {@code y^k} has one feasible plan, all mass goes to {@code k}, so for probabilities
 * {@code f} and cost matrix {@code M}
 *
 * <pre>
 *   W(f, y^k) = sum_i f_i M[i][k]        s(f) = min_k W(f, y^k)
 * </pre>
 *
 * holds exactly for every {@code M}; no solver is needed. Score methods take one row of at least two classes and
 * allocate nothing.
 */
public sealed interface GroundCost extends RowFunction permits BinaryCost, DynamicCost, CustomCost {

    /** Every move costs 1: {@code s = 1 - max f}. */
    static GroundCost binary() {
        return new BinaryCost();
    }

    /** The cost depends on the prediction, {@code M[i][j] = |f_i - y_j|}: {@code s = 1 - sum f^2}. */
    static GroundCost dynamic() {
        return new DynamicCost();
    }

    /** The ground cost of a name: {@code binary} or {@code dynamic}. */
    static GroundCost named(String name) {
        return switch (name) {
            case "binary" -> binary();
            case "dynamic" -> dynamic();
            default -> throw Names.unknown("ground cost", name, List.of("binary", "dynamic"));
        };
    }

    /**
     * Refuses a number of classes that it has no costs for.
     *
     * @throws IllegalArgumentException where the matrix is of another size
     */
    default void requireClasses(int classes) {}

    /**
     * The WOOD score of probabilities: 0 if all mass is on one class and the diagonal is free.
     *
     * <p>Binary and dynamic scores are sums over all classes except the predicted one. They keep their relative precision
     * however confident the classifier is: {@code 1 - max f} would round to zero.
     */
    double score(double[] f);

    @Override
    default double apply(double[] f) {
        return score(f);
    }

    /** The cost matrix that transport from {@code f} to the one-hot vector of class {@code k} is priced with. */
    Matrix matrix(double[] f, int k);

    /** The class whose one-hot vector is nearest: the {@code k} of the minimum, the first one on ties. */
    int nearest(double[] f);

    /**
     * Derivative of the score by {@code f} with the cost matrix held fixed, the paper's rule: column
     * {@link #nearest} of the matrix (Proposition 3). Constants added to all elements vanish through softmax.
     */
    void gradient(double[] f, double[] into);

    /** Derivative of the score by {@code f}, the matrix' own dependence on {@code f} included. */
    default void totalGradient(double[] f, double[] into) {
        gradient(f, into);
    }

    /** The largest entry the cost matrix can have: {@code alpha_M} of Theorem 1. */
    double largest();

    /** Any non-negative K x K matrix. */
    static CustomCost custom(Matrix costs) {
        return new CustomCost(costs);
    }

    /**
     * Tree distances between the leaves of a label hierarchy, scaled so that the largest is 1.
     *
     * @param paths for each class the way from the root to it, such as {@code [animal, mammal, cat]}
     */
    static CustomCost ofHierarchy(List<List<String>> paths) {
        return CostMatrices.ofHierarchy(paths);
    }

    /**
     * Euclidean distances between class means, scaled so that the largest is 1.
     *
     * @param means one row per class, in any embedding
     */
    static CustomCost ofClassMeans(Matrix means) {
        return CostMatrices.ofClassMeans(means);
    }

    /**
     * Classes that a classifier confuses are near: {@code M[i][j] = 1 - (r_ij + r_ji) / 2} for {@code i != j}, where
     * {@code r_ij} is the share of class {@code i} that was taken for {@code j}.
     *
     * @param counts row {@code i}: how often samples of class {@code i} were given each label
     */
    static CustomCost ofConfusion(Matrix counts) {
        return CostMatrices.ofConfusion(counts);
    }
}
