package ai.wood.torch.train;

/**
 * How the gradient of a step changes the weights.
 *
 * @param optimiser the rule
 * @param rate peak learning rate
 * @param schedule of the learning rate over the run
 * @param weightDecay on weights; biases and normalisations are spared
 * @param clip largest norm of the gradient; 0 for no limit
 * @param averaging decay of the running average of weights and statistics that is validated and kept; 0 for none
 */
public record UpdateOptions(
        Optimisers optimiser, double rate, Schedule schedule, double weightDecay, double clip, double averaging) {

    public UpdateOptions {
        if (!(rate > 0 && rate < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("the learning rate must be positive but is " + rate);
        }
        if (!(clip >= 0) || !(weightDecay >= 0 && weightDecay < 1) || !(averaging >= 0 && averaging < 1)) {
            throw new IllegalArgumentException("clip must not be negative, weight decay and averaging must lie in"
                    + " [0, 1), but they are " + clip + ", " + weightDecay + " and " + averaging);
        }
    }

    /** The paper's: Adam at a constant rate of 0.001. */
    public static UpdateOptions paper() {
        return new UpdateOptions(Optimisers.ADAM, 1e-3, Schedule.CONSTANT, 0, 0, 0);
    }

    /** For short runs with large batches: Nesterov momentum under a one-cycle schedule, with weight decay. */
    public static UpdateOptions fast() {
        return new UpdateOptions(Optimisers.SGD, 0.2, Schedule.ONE_CYCLE, 5e-4, 0, 0);
    }

    public UpdateOptions withOptimiser(Optimisers optimiser) {
        return new UpdateOptions(optimiser, rate, schedule, weightDecay, clip, averaging);
    }

    public UpdateOptions withRate(double rate) {
        return new UpdateOptions(optimiser, rate, schedule, weightDecay, clip, averaging);
    }

    public UpdateOptions withSchedule(Schedule schedule) {
        return new UpdateOptions(optimiser, rate, schedule, weightDecay, clip, averaging);
    }

    public UpdateOptions withClip(double clip) {
        return new UpdateOptions(optimiser, rate, schedule, weightDecay, clip, averaging);
    }

    public UpdateOptions withAveraging(double averaging) {
        return new UpdateOptions(optimiser, rate, schedule, weightDecay, clip, averaging);
    }

    /**
     * How much the weights after a step count in the average: while a run is young it spans a tenth of the steps done,
     * so that the weights of the beginning, which know little, are soon forgotten.
     *
     * @param step counted from 0 over the whole run; the first share is 1
     */
    double averagingShare(long step) {
        return Math.max(1 - averaging, 10.0 / (10 + step));
    }
}
