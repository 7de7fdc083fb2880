package ai.wood.evaluate;

import ai.wood.Calibration;
import ai.wood.CannotRunException;
import ai.wood.Matrix;
import ai.wood.Requirement;
import ai.wood.Scorer;
import ai.wood.ScorerKind;
import ai.wood.Threshold;
import ai.wood.evaluate.Comparison.OnOod;
import ai.wood.evaluate.Comparison.Result;
import ai.wood.evaluate.Comparison.Spent;
import ai.wood.evaluate.NetworkOutputs.Ood;
import ai.wood.evaluate.NetworkOutputs.Part;
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
 * @param tnr share of InD samples that its threshold is to keep
 * @param bootstrap gives the intervals
 */
record ScorerTrial(NetworkOutputs outputs, double tnr, Bootstrap bootstrap) {

    /** Scores samples by the network's outputs or by their images. */
    @FunctionalInterface
    interface PartScorer {
        double[] score(Part part);

        /** What was chosen for it in tuning. */
        default String settings() {
            return "";
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
        return of(kind.id(), fitting, kind.requires().contains(Requirement.TUNING) ? oodSource() : null);
    }

    /** What a scorer does that looks at images. */
    Result of(ImageScorers name, TorchNetwork network, ImageScorerOptions options) {
        Fitting fitting = () -> {
            ImageScorer scorer = name.create(network, options);
            return new PartScorer() {
                @Override
                public double[] score(Part part) {
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
        double[] validation = scorer.score(outputs.validation());
        double[] ind = scorer.score(outputs.test());
        List<double[]> ood =
                outputs.ood().stream().map(set -> scorer.score(set.part())).toList();
        Spent spent = new Spent((fitted - start) / 1e9, (System.nanoTime() - fitted) / 1e9, heap.growth());
        Threshold threshold = Calibration.of(validation).conformal(tnr);
        List<OnOod> onOod = new ArrayList<>();
        for (int i = 0; i < ood.size(); i++) {
            onOod.add(onOod(outputs.ood().get(i), ind, ood.get(i), threshold));
        }
        return new Result(
                name,
                source == null || scorer.settings().isEmpty() ? source : source + " (" + scorer.settings() + ")",
                threshold,
                Matrix.of(validation),
                Matrix.of(ind),
                alarms(ind, threshold),
                acceptedAccuracy(ind, threshold),
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
                : "held-out InD samples: " + tuning.ind().dataset().name();
    }

    private OnOod onOod(Ood set, double[] ind, double[] scores, Threshold threshold) {
        return new OnOod(
                set, Matrix.of(scores), alarms(scores, threshold), Evaluation.of(ind, scores, bootstrap), Double.NaN);
    }

    private static double alarms(double[] scores, Threshold threshold) {
        return (double) Arrays.stream(scores).filter(threshold::isOod).count() / scores.length;
    }

    private double acceptedAccuracy(double[] scores, Threshold threshold) {
        Part test = outputs.test();
        int[] accepted = IntStream.range(0, scores.length)
                .filter(i -> !threshold.isOod(scores[i]))
                .toArray();
        long right = Arrays.stream(accepted)
                .filter(i -> test.outputs().label(i) == test.dataset().label(i))
                .count();
        return accepted.length == 0 ? Double.NaN : (double) right / accepted.length;
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
