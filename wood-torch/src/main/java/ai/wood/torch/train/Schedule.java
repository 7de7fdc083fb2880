package ai.wood.torch.train;

import ai.wood.Names;

/** How the learning rate changes over a run: a factor on its peak, by the share of the run that is done. */
public enum Schedule {
    /** Always the peak. */
    CONSTANT {
        @Override
        public double factor(double done) {
            return 1;
        }
    },
    /** A tenth from half of the run on, a hundredth from three quarters on: the DenseNet paper's. */
    STEP {
        @Override
        public double factor(double done) {
            return done < 0.5 ? 1 : done < 0.75 ? 0.1 : 0.01;
        }
    },
    /** Half a cosine from the peak to zero (Loshchilov and Hutter, ICLR 2017, without restarts). */
    COSINE {
        @Override
        public double factor(double done) {
            return cosine(done);
        }
    },
    /** Up in a straight line over the first 30%, then down a half cosine (Smith and Topin, 2018). */
    ONE_CYCLE {
        @Override
        public double factor(double done) {
            return done < RISE ? START + (1 - START) * done / RISE : cosine((done - RISE) / (1 - RISE));
        }
    };

    private static final double RISE = 0.3;
    private static final double START = 0.04;

    /**
     * The factor on the peak rate.
     *
     * @param done the share of all steps that are done, in [0, 1)
     */
    public abstract double factor(double done);

    /** The name on the command line: {@code one-cycle}. */
    @Override
    public String toString() {
        return Names.of(this);
    }

    private static double cosine(double done) {
        return (1 + Math.cos(Math.PI * done)) / 2;
    }
}
