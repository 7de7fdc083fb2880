package ai.wood.evaluate;

import ai.wood.Calibration;
import ai.wood.CannotRunException;
import ai.wood.Classifier;
import ai.wood.FitData;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Requirement;
import ai.wood.SampleScorer;
import ai.wood.Scorer;
import ai.wood.ScorerKind;
import ai.wood.Threshold;
import ai.wood.data.Image;
import ai.wood.evaluate.Comparison.OnOod;
import ai.wood.evaluate.Comparison.Result;
import ai.wood.evaluate.Comparison.Spent;
import ai.wood.evaluate.NetworkOutputs.Ood;
import ai.wood.evaluate.NetworkOutputs.Part;
import ai.wood.metric.Bootstrap;
import ai.wood.metric.Evaluation;
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

    /**
     * The result of one scorer.
     *
     * @throws CannotRunException if it cannot run, with the reason
     */
    Result of(ScorerKind kind) {
        outputs.test().outputs().require(kind);
        Heap heap = Heap.now();
        long start = System.nanoTime();
        Scorer scorer = outputs.setup().fit(kind);
        long fitted = System.nanoTime();
        double[] validation = score(scorer, outputs.validation());
        double[] ind = score(scorer, outputs.test());
        List<double[]> ood =
                outputs.ood().stream().map(set -> score(scorer, set.part())).toList();
        Spent spent = new Spent((fitted - start) / 1e9, (System.nanoTime() - fitted) / 1e9, heap.growth());
        Threshold threshold = Calibration.of(validation).conformal(tnr);
        List<OnOod> onOod = new ArrayList<>();
        for (int i = 0; i < ood.size(); i++) {
            onOod.add(onOod(outputs.ood().get(i), ind, ood.get(i), threshold));
        }
        return new Result(
                kind.id(),
                tunedOn(kind, scorer),
                threshold,
                Matrix.of(validation),
                Matrix.of(ind),
                alarms(ind, threshold),
                acceptedAccuracy(ind, threshold),
                spent,
                List.copyOf(onOod));
    }

    /** The scores of samples; a scorer that needs the images looks at them. */
    private double[] score(Scorer scorer, Part part) {
        FitData.Samples<?> samples = outputs.setup().data().samples();
        return scorer.score(samples == null ? part.outputs() : complete(scorer, samples, part));
    }

    @SuppressWarnings("unchecked") // a run's classifier is one of images
    private static Outputs complete(Scorer scorer, FitData.Samples<?> samples, Part part) {
        Classifier<Image> classifier = (Classifier<Image>) samples.classifier();
        return SampleScorer.complete(scorer, classifier, part.dataset().images(), part.outputs());
    }

    /** The data a scorer was tuned on, and what tuning chose. */
    private @Nullable String tunedOn(ScorerKind kind, Scorer scorer) {
        NetworkOutputs.Tuning tuning = outputs.tuning();
        boolean sampled = scorer instanceof SampleScorer<?>;
        if (tuning == null || !(sampled || kind.requires().contains(Requirement.TUNING))) {
            return null;
        }
        boolean onOod = !sampled || kind.settings().has("tune");
        String source = onOod
                ? tuning.source()
                : "held-out InD samples: " + tuning.ind().dataset().name();
        return scorer instanceof SampleScorer<?> samples && !samples.tuned().isEmpty()
                ? source + " (" + samples.tuned() + ")"
                : source;
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
