package ai.wood.torch.train;

/** The loss or the weights of a training became infinite or NaN. The last good checkpoint is kept. */
public final class DivergedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int epoch;

    DivergedException(int epoch, int step, double loss) {
        super(
                "training diverged in epoch " + epoch + ", step " + step + ": the loss is " + loss
                        + ". Lower the learning rate or beta, or clip gradients. The last good checkpoint is kept, if there is one.");
        this.epoch = epoch;
    }

    /** The epoch in which this happened, from 0. */
    public int epoch() {
        return epoch;
    }
}
