package ai.wood.torch;

import ai.wood.data.Image;
import ai.wood.data.Shape;
import ai.wood.data.transform.Normalise;
import java.util.List;
import org.bytedeco.pytorch.Tensor;

/** A network whose gradients can be worked out by hand: {@code z = W x + b}, and its features are its input. */
record LinearNetwork(Shape shape, int classes) implements Architecture {

    static final Normalise NORMALISE = new Normalise(List.of(0.4, 0.5), List.of(0.2, 0.7));
    static final Shape SHAPE = new Shape(2, 4, 3);

    @Override
    public Layout layout() {
        return new Layout().linear("fc", shape.length(), classes);
    }

    @Override
    public Activations forward(Pass pass, Tensor images) {
        Tensor flat = images.reshape(images.size(0), shape.length());
        return new Activations(pass.linear("fc", flat), flat);
    }

    Weights weights(long seed) {
        return Weights.initial(layout(), seed, Devices.cpu());
    }

    /** The same in plain Java. */
    static final class ByHand {

        private final double[][] rows;

        private ByHand(double[][] rows) {
            this.rows = rows;
        }

        static ByHand of(Weights weights) {
            float[] values = Tensors.floats(weights.view("fc.weight"));
            int classes = (int) weights.view("fc.weight").size(0);
            double[][] rows = new double[classes][values.length / classes];
            for (int i = 0; i < values.length; i++) {
                rows[i / rows[0].length][i % rows[0].length] = values[i];
            }
            return new ByHand(rows);
        }

        double weight(int k, int place) {
            return rows[k][place];
        }

        double[] logits(double[] x) {
            double[] z = new double[rows.length];
            for (int k = 0; k < z.length; k++) {
                for (int i = 0; i < x.length; i++) {
                    z[k] += rows[k][i] * x[i];
                }
            }
            return z;
        }
    }

    static double[] normalised(Image image) {
        double[] x = new double[image.shape().length()];
        for (int i = 0; i < x.length; i++) {
            int channel = i / image.shape().area();
            x[i] = (image.get(i) / 255.0 - NORMALISE.mean().get(channel))
                    / NORMALISE.deviation().get(channel);
        }
        return x;
    }
}
