package ai.wood.torch.train;

/** Watches a training, to show its progress. */
public interface TrainListener {

    /** Watches nothing. */
    TrainListener NONE = new TrainListener() {};

    /** A training begins. */
    default void begins(TrainOptions options) {}

    /** A step is done: the n-th of all, from 1, with the loss it started from. */
    default void step(long done, long total, double loss) {}

    /** Asked after every step: whether to write a checkpoint and end with a {@link StoppedException}. */
    default boolean stops() {
        return false;
    }

    /** A checkpoint is written. */
    default void saved() {}

    /** Something the user should know, in a sentence. */
    default void notice(String message) {}

    /** An epoch is done and validated. */
    default void epoch(EpochMetrics metrics) {}

    /** The training has ended, in whichever way; nothing more is told or asked. */
    default void ended() {}
}
