package ai.wood.cli;

import ai.wood.Names;
import ai.wood.torch.train.TrainOptions;

/** Recipes that trainings start from. */
public enum Preset {
    PAPER,
    FAST,
    ROBUST;

    public TrainOptions options() {
        return switch (this) {
            case PAPER -> TrainOptions.paper();
            case FAST -> TrainOptions.fast();
            case ROBUST -> TrainOptions.robust();
        };
    }

    /** Whether training images are shifted, mirrored and partly hidden. */
    public boolean augmented() {
        return this != PAPER;
    }

    /** Weight of the WOOD term. */
    public double beta() {
        return this == PAPER ? 0.1 : 2;
    }

    @Override
    public String toString() {
        return Names.of(this);
    }
}
