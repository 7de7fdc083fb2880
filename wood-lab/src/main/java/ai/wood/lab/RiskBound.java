package ai.wood.lab;

/**
 * The learning bound of the WOOD loss (Theorem 1): with the stated {@link #probability} the empirical minimiser's excess
 * risk is at most
 *
 * <pre>
 *   4 sqrt(2) / m * R_ind + 2 sqrt((1 - m)^2 log(1/delta) / (2 N_ind m^2))
 *   + beta * (16 a_M R_ood + 2 sqrt(a_M^2 log(1/delta) / (2 N_ood)))
 * </pre>
 *
 * @param indCount number of InD training samples, {@code N_ind}
 * @param oodCount number of OOD training samples, {@code N_ood}
 * @param indComplexity Rademacher complexity on InD samples, {@code R_ind}
 * @param oodComplexity Rademacher complexity on OOD samples, {@code R_ood}
 * @param minProbability least probability the classifier gives to an InD sample's class, {@code m} in (0, 1]
 * @param largestCost largest entry of the cost matrix, {@code a_M}
 * @param beta weight of the OOD term
 * @param delta probability with which each of the four bounds that the proof adds may fail
 */
record RiskBound(
        long indCount,
        long oodCount,
        double indComplexity,
        double oodComplexity,
        double minProbability,
        double largestCost,
        double beta,
        double delta) {

    public RiskBound {
        if (indCount < 1 || oodCount < 1) {
            throw new IllegalArgumentException(
                    "there must be InD and OOD samples but their numbers are " + indCount + " and " + oodCount);
        }
        if (!(minProbability > 0 && minProbability <= 1)) {
            throw new IllegalArgumentException("m must lie in (0, 1] but is " + minProbability);
        }
        if (!(delta > 0 && delta < 1)) {
            throw new IllegalArgumentException("delta must lie strictly between 0 and 1 but is " + delta);
        }
        if (!(indComplexity >= 0 && oodComplexity >= 0 && largestCost >= 0 && beta >= 0)) {
            throw new IllegalArgumentException("complexities, the largest cost and beta must not be negative but are "
                    + indComplexity + ", " + oodComplexity + ", " + largestCost + " and " + beta);
        }
    }

    /** The InD part of the bound. */
    public double ind() {
        double m = minProbability;
        return 4 * Math.sqrt(2) / m * indComplexity
                + 2 * Math.sqrt((1 - m) * (1 - m) * Math.log(1 / delta) / (2.0 * indCount * m * m));
    }

    /** The OOD part of the bound, beta included. */
    public double ood() {
        return beta
                * (16 * largestCost * oodComplexity
                        + 2 * Math.sqrt(largestCost * largestCost * Math.log(1 / delta) / (2.0 * oodCount)));
    }

    public double value() {
        return ind() + ood();
    }

    /**
     * With which it holds at least. The proof needs both sides of the deviation of both losses, and shows each with
     * probability {@code 1 - delta}; the paper states that for all of them together.
     */
    public double probability() {
        return Math.max(0, 1 - 4 * delta);
    }
}
