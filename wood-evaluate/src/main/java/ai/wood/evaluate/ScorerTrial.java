package ai.wood.evaluate;

import ai.wood.CannotRunException;
import ai.wood.Classifier;
import ai.wood.Detector;
import ai.wood.FitData;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Requirement;
import ai.wood.SampleScorer;
import ai.wood.Scorer;
import ai.wood.ScorerKind;
import ai.wood.data.Image;
import ai.wood.evaluate.Comparison.OnOod;
import ai.wood.evaluate.Comparison.Result;
import ai.wood.evaluate.Comparison.Spent;
import ai.wood.evaluate.Comparison.Thresholds;
import ai.wood.evaluate.NetworkOutputs.Ood;
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
 * @param tnr fraction of InD samples that a threshold chosen here is to keep
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
        Detector detector = isDeployed(kind) ? outputs.detector() : null;
        Heap heap = Heap.now();
        long start = System.nanoTime();
        Scorer scorer = detector == null ? outputs.setup().fit(kind) : detector.scorer();
        long fitted = System.nanoTime();
        double[] validation = detector == null ? score(scorer, outputs.validation()) : detector.scores();
        double[] ind = score(scorer, outputs.test());
        List<double[]> ood =
                outputs.ood().stream().map(set -> score(scorer, set.part())).toList();
        Spent spent = new Spent((fitted - start) / 1e9, (System.nanoTime() - fitted) / 1e9, heap.growth());
        Thresholds thresholds = detector == null ? Thresholds.conformal(validation, tnr) : Thresholds.of(detector);
        List<OnOod> onOod = new ArrayList<>();
        for (int i = 0; i < ood.size(); i++) {
            onOod.add(onOod(outputs.ood().get(i), ind, ood.get(i), thresholds));
        }
        boolean[] alarms = alarms(outputs.test(), ind, thresholds);
        return new Result(
                kind.id(),
                detector == null ? outputs.setup().settings(kind) : detector.settings(),
                detector != null,
                detector == null ? tunedOn(kind, scorer) : null,
                thresholds,
                Matrix.of(validation),
                Matrix.of(ind),
                fraction(alarms),
                acceptedAccuracy(alarms),
                spent,
                List.copyOf(onOod));
    }

    /** Whether this kind is that of the network's detector. */
    boolean isDeployed(ScorerKind kind) {
        Detector detector = outputs.detector();
        return detector != null && detector.kind().id().equals(kind.id());
    }

    /** The scores of samples; a scorer that needs the images looks at them. */
    private double[] score(Scorer scorer, SampleSet part) {
        FitData.Samples<?> samples = outputs.setup().data().samples();
        return scorer.score(samples == null ? part.outputs() : complete(scorer, samples, part));
    }

    @SuppressWarnings("unchecked") // a run's classifier is one of images
    private static Outputs complete(Scorer scorer, FitData.Samples<?> samples, SampleSet part) {
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
                : "held-out InD samples: " + tuning.ind().name();
        return scorer instanceof SampleScorer<?> samples && !samples.tuned().isEmpty()
                ? source + " (" + samples.tuned() + ")"
                : source;
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
        int[] accepted =
                IntStream.range(0, alarms.length).filter(i -> !alarms[i]).toArray();
        long correct =
                Arrays.stream(accepted).filter(i -> test.label(i) == labels[i]).count();
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
