package ai.wood.torch.train;

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

    public Optimiser optimiser() {
        return optimiser;
    }
}
