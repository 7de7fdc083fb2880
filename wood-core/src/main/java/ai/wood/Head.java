package ai.wood;

/**
 * A network's last layer, {@code logits = W h + b}: what scorers need that change the features {@code h} and look at the
 * logits that come of it.
 *
 * @param weights classes x features
 * @param bias one row with a value per class
 */
public record Head(Matrix weights, Matrix bias) {

    public Head {
        if (bias.rows() != 1 || bias.columns() != weights.rows()) {
            throw new IllegalArgumentException("a head with weights of " + weights.rows() + " x " + weights.columns()
                    + " needs a bias of 1 x " + weights.rows() + " but it is " + bias.rows() + " x " + bias.columns());
        }
    }

    /** Number of classes. */
    public int classes() {
        return weights.rows();
    }

    /** Number of features it reads. */
    public int features() {
        return weights.columns();
    }

    /** The logits of one sample's features. */
    public double[] logits(double[] features) {
        if (features.length != features()) {
            throw new IllegalArgumentException(
                    "the head reads " + features() + " features but was given " + features.length);
        }
        double[] logits = weights.times(features);
        for (int k = 0; k < logits.length; k++) {
            logits[k] += bias.get(0, k);
        }
        return logits;
    }

    /** The head whose logits are these divided by the temperature. */
    public Head withTemperature(double temperature) {
        return temperature == 1 ? this : new Head(weights.dividedBy(temperature), bias.dividedBy(temperature));
    }
}
