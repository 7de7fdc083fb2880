package ai.wood.evaluate;

import ai.wood.CannotRunException;
import ai.wood.Detector;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Requirement;
import ai.wood.Scorer;
import ai.wood.ScorerKind;
import ai.wood.Settings;
import ai.wood.evaluate.Comparison.OnOod;
import ai.wood.evaluate.Comparison.Result;
import ai.wood.evaluate.Comparison.Spent;
import ai.wood.evaluate.Comparison.Thresholds;
import ai.wood.evaluate.NetworkOutputs.Ood;
import ai.wood.metric.Bootstrap;
import ai.wood.metric.Evaluation;
import ai.wood.torch.ImageScorer;
import ai.wood.torch.ImageScorerOptions;
import ai.wood.torch.ImageScorers;
import ai.wood.torch.TorchNetwork;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One scorer on the outputs of a network: fitted, timed, and measured.
 *
 * @param tnr fraction of InD samples that a threshold chosen here is to keep
 * @param bootstrap gives the intervals
 */
record ScorerTrial(NetworkOutputs outputs, double tnr, Bootstrap bootstrap) {

    /** Scores samples by the network's outputs or by their images. */
    @FunctionalInterface
    interface PartScorer {
        double[] score(SampleSet part);

        /** What was chosen for it in tuning. */
        default String settings() {
            return "";
        }

        /** The scores that thresholds are chosen on. */
        default double[] calibrationScores(SampleSet validation) {
            return score(validation);
        }

        default Thresholds thresholds(double[] calibrationScores, double tnr) {
            return Thresholds.conformal(calibrationScores, tnr);
        }
    }

    /** The scorer of a detector, with the detector's calibration scores and thresholds. */
    private record Deployed(Detector detector) implements PartScorer {

        @Override
        public double[] score(SampleSet samples) {
            return detector.score(samples.outputs());
        }

        @Override
        public double[] calibrationScores(SampleSet validation) {
            return detector.scores();
        }

        @Override
        public Thresholds thresholds(double[] calibrationScores, double tnr) {
            return Thresholds.of(detector);
        }
    }

    /** Prepares a scorer. */
    @FunctionalInterface
    interface Fitting {
        PartScorer fit();
    }

    /**
     * What a scorer of the catalogue does.
     *
     * @throws CannotRunException if it cannot run, with the reason
     */
    Result of(ScorerKind kind) {
        outputs.test().outputs().require(kind);
        Fitting fitting = () -> {
            Scorer scorer = outputs.setup().fit(kind);
            return part -> scorer.score(part.outputs());
        };
        String source = kind.requires().contains(Requirement.TUNING) ? oodSource() : null;
        return of(kind.id(), fitting, source).with(outputs.setup().settings(kind), false);
    }

    /** What a scorer does that looks at images. */
    Result of(ImageScorers name, TorchNetwork network, ImageScorerOptions options) {
        Fitting fitting = () -> {
            ImageScorer scorer = name.create(network, options);
            return new PartScorer() {
                @Override
                public double[] score(SampleSet part) {
                    return scorer.score(part.dataset());
                }

                @Override
                public String settings() {
                    return scorer.settings();
                }
            };
        };
        return of(name.id(), fitting, name.tunedOnOod() ? oodSource() : indSource());
    }

    /** What the scorer of the network's detector does. */
    Result of(Detector detector) {
        outputs.test().outputs().require(detector.kind());
        return of(detector.kind().id(), () -> new Deployed(detector), null).with(detector.settings(), true);
    }

    /**
     * What any scorer does.
     *
     * @param source what it is tuned on; null for nothing
     */
    Result of(String name, Fitting fitting, @Nullable String source) {
        Heap heap = Heap.now();
        long start = System.nanoTime();
        PartScorer scorer = fitting.fit();
        long fitted = System.nanoTime();
        double[] validation = scorer.calibrationScores(outputs.validation());
        double[] ind = scorer.score(outputs.test());
        List<double[]> ood =
                outputs.ood().stream().map(set -> scorer.score(set.part())).toList();
        Spent spent = new Spent((fitted - start) / 1e9, (System.nanoTime() - fitted) / 1e9, heap.growth());
        Thresholds thresholds = scorer.thresholds(validation, tnr);
        List<OnOod> onOod = new ArrayList<>();
        for (int i = 0; i < ood.size(); i++) {
            onOod.add(onOod(outputs.ood().get(i), ind, ood.get(i), thresholds));
        }
        boolean[] alarms = alarms(outputs.test(), ind, thresholds);
        return new Result(
                name,
                Settings.NONE,
                false,
                source == null || scorer.settings().isEmpty() ? source : source + " (" + scorer.settings() + ")",
                thresholds,
                Matrix.of(validation),
                Matrix.of(ind),
                fraction(alarms),
                acceptedAccuracy(alarms),
                spent,
                List.copyOf(onOod));
    }

    private @Nullable String oodSource() {
        NetworkOutputs.Tuning tuning = outputs.tuning();
        return tuning == null ? null : tuning.source();
    }

    private @Nullable String indSource() {
        NetworkOutputs.Tuning tuning = outputs.tuning();
        return tuning == null
                ? null
                : "held-out InD samples: " + tuning.ind().name();
    }

    private OnOod onOod(Ood set, double[] ind, double[] scores, Thresholds thresholds) {
        return new OnOod(
                set,
                Matrix.of(scores),
                fraction(alarms(set.part(), scores, thresholds)),
                Evaluation.of(ind, scores, bootstrap),
                Double.NaN);
    }

    private static boolean[] alarms(SampleSet samples, double[] scores, Thresholds thresholds) {
        boolean[] alarms = new boolean[scores.length];
        for (int i = 0; i < scores.length; i++) {
            alarms[i] = thresholds.isOod(samples.outputs(), i, scores[i]);
        }
        return alarms;
    }

    private static double fraction(boolean[] alarms) {
        return (double) IntStream.range(0, alarms.length).filter(i -> alarms[i]).count() / alarms.length;
    }

    private double acceptedAccuracy(boolean[] alarms) {
        Outputs test = outputs.test().outputs();
        int[] labels = outputs.test().labels();
        if (labels.length == 0 || !test.hasPredictions()) {
            return Double.NaN;
        }
        int[] accepted = IntStream.range(0, alarms.length).filter(i -> !alarms[i]).toArray();
        long correct = Arrays.stream(accepted)
                .filter(i -> test.label(i) == labels[i])
                .count();
        return accepted.length == 0 ? Double.NaN : (double) correct / accepted.length;
    }

    /** How full the Java heap was. */
    private record Heap(long used) {

        static Heap now() {
            System.gc();
            pools().forEach(MemoryPoolMXBean::resetPeakUsage);
            return new Heap(peak());
        }

        /** How much fuller it has been since. */
        long growth() {
            return Math.max(0, peak() - used);
        }

        private static long peak() {
            return pools().stream()
                    .mapToLong(pool -> pool.getPeakUsage().getUsed())
                    .sum();
        }

        private static List<MemoryPoolMXBean> pools() {
            return ManagementFactory.getMemoryPoolMXBeans().stream()
                    .filter(pool -> pool.getType() == MemoryType.HEAP)
                    .toList();
        }
    }
}
