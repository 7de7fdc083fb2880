package ai.wood.torch.train;

import ai.wood.Names;

/** The catalogue of optimisers. */
public enum Optimisers {
    ADAM(new Adam(false)),
    /** Adam with decoupled weight decay. */
    ADAMW(new Adam(true)),
    /** Stochastic gradient descent with Nesterov momentum 0.9. */
    SGD(new Sgd());

    @SuppressWarnings("ImmutableEnumChecker") // a record without tensors
    private final Optimiser optimiser;

    Optimisers(Optimiser optimiser) {
        this.optimiser = optimiser;
    }

    /** The name on the command line. */
    @Override
    public String toString() {
        return Names.of(this);
    }

    Optimiser optimiser() {
        return optimiser;
    }
}
