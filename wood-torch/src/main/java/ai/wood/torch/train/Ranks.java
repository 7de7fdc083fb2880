package ai.wood.torch.train;

import org.bytedeco.pytorch.Tensor;

/**
 * The processes that train one network together, counted from 0. All of them call the same methods in the same order;
 * each call waits for the others.
 */
interface Ranks {

    /** A process on its own. */
    Ranks ALONE = new Ranks() {
        @Override
        public int rank() {
            return 0;
        }

        @Override
        public int size() {
            return 1;
        }

        @Override
        public void sum(Tensor tensor) {
            // A sum of one.
        }

        @Override
        public void spread(Tensor tensor) {
            // The only one there is.
        }
    };

    /** Which of them this process is. */
    int rank();

    /** How many there are. */
    int size();

    /** Replaces a contiguous tensor by the sum of all ranks' tensors; every rank gets the same bits. */
    void sum(Tensor tensor);

    /** Replaces a contiguous tensor by that of rank 0. */
    void spread(Tensor tensor);

    /** Whether this process writes the files and measures: rank 0 does. */
    default boolean leads() {
        return rank() == 0;
    }
}
