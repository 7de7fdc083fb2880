package ai.wood.evaluate;

import ai.wood.torch.train.TrainListener;

/** Watches trainings and passes over data. */
public interface Progress extends OutputStore.Progress {

    /** A training begins: who watches it. */
    TrainListener training(String network);
}
