package ai.wood.torch.train;

/** Training ran off to infinity or NaN; a good checkpoint from before is kept. */
public final class DivergedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int epoch;
    private final int step;
    private final double loss;

    DivergedException(int epoch, int step, double loss) {
        super(
                "training diverged in epoch " + epoch + ", step " + step + ": the loss is " + loss
                        + ". Maybe lower the learning rate or beta, or clip gradients. A good checkpoint from before is kept, where there is one.");
        this.epoch = epoch;
        this.step = step;
        this.loss = loss;
    }

    /** The epoch it happened in, from 0. */
    public int epoch() {
        return epoch;
    }

    /** The step of the epoch, from 0. */
    public int step() {
        return step;
    }

    /** What the loss had become. */
    public double loss() {
        return loss;
    }
}
