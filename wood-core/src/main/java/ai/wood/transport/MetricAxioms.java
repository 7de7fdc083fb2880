package ai.wood.transport;

import ai.wood.Matrix;

/**
 * Which of a metric's axioms a cost matrix satisfies. Under a metric cost the Wasserstein distance is a metric itself.
 *
 * @param zeroDiagonal staying is free, and nothing else is
 * @param symmetric the way back costs the same
 * @param triangle no detour is cheaper than the direct way
 */
record MetricAxioms(boolean zeroDiagonal, boolean symmetric, boolean triangle) {

    private static final double ROUNDING = 1e-12;

    public boolean isMetric() {
        return zeroDiagonal && symmetric && triangle;
    }

    static MetricAxioms of(Matrix costs) {
        int n = costs.rows();
        double[][] m = new double[n][];
        double scale = 0;
        for (int i = 0; i < n; i++) {
            m[i] = costs.row(i);
            for (double cost : m[i]) {
                scale = Math.max(scale, cost);
            }
        }
        double slack = ROUNDING * scale;
        boolean zeroDiagonal = true;
        boolean symmetric = true;
        boolean triangle = true;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                zeroDiagonal &= i == j ? m[i][j] == 0 : m[i][j] > 0;
                symmetric &= Math.abs(m[i][j] - m[j][i]) <= slack;
                triangle = triangle && noDetourIsCheaper(m[i], m, j, slack);
            }
        }
        return new MetricAxioms(zeroDiagonal, symmetric, triangle);
    }

    /** From any class by way of {@code via} to every other one. */
    private static boolean noDetourIsCheaper(double[] from, double[][] m, int via, double slack) {
        double first = from[via] + slack;
        double[] second = m[via];
        for (int k = 0; k < from.length; k++) {
            if (from[k] > first + second[k]) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        if (isMetric()) {
            return "a metric";
        }
        return "not a metric:" + (zeroDiagonal ? "" : " diagonal not zero (or a zero beside it);")
                + (symmetric ? "" : " not symmetric;") + (triangle ? "" : " triangle inequality violated;");
    }
}
