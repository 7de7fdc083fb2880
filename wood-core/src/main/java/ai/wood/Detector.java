package ai.wood;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Tells from a classifier's outputs which samples are OOD. It contains a fitted scorer, thresholds, the scores they were
 * calibrated on, and class names. It refers to its classifier if it has one; {@link SampleDetector} pairs the two.
 *
 * <pre>{@code
 * Detector detector = Detector.of(ScorerKinds.knn()).fit(training).conformal(0.95).calibrate(heldOut);
 * detector.save(Path.of("detector.wood"));
 * List<Verdict> verdicts = Detector.load(Path.of("detector.wood")).detect(outputs);
 * }</pre>
 *
 * <p>Immutable and safe to share between threads.
 */
public final class Detector {

    private final ScorerKind kind;
    private final Settings settings;
    private final Scorer scorer;
    private final ThresholdPolicy policy;
    private final List<Double> thresholds;
    private final double[] scores;
    private final int[] labels;
    private final List<String> classes;
    private final Map<String, String> data;
    private final @Nullable ClassifierReference classifier;
    private final ClassCalibration calibration;

    /**
     * Writes detectors to files and reads them. {@link Detector} finds it with {@link ServiceLoader}; {@code wood-core}
     * brings one.
     */
    public interface Files {

        void save(Detector detector, Path file) throws IOException;

        Detector load(Path file) throws IOException;
    }

    /**
     * Everything in a detector.
     *
     * @param labels predicted for the calibration samples; all 0 without predictions
     * @param classes names in the order of the labels; empty without predictions
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Parts(
            ScorerKind kind,
            Settings settings,
            Scorer scorer,
            ThresholdPolicy policy,
            List<Double> thresholds,
            double[] scores,
            int[] labels,
            List<String> classes,
            Map<String, String> data,
            @Nullable ClassifierReference classifier) {}

    /**
     * Assembles a detector.
     *
     * @throws IllegalArgumentException if the parts do not fit together
     */
    public Detector(Parts parts) {
        this.kind = parts.kind;
        this.settings = parts.settings;
        this.scorer = parts.scorer;
        this.policy = parts.policy;
        this.thresholds = List.copyOf(parts.thresholds);
        this.scores = parts.scores.clone();
        this.labels = parts.labels.clone();
        this.classes = List.copyOf(parts.classes);
        this.data = Collections.unmodifiableMap(new TreeMap<>(parts.data));
        this.classifier = parts.classifier;
        this.calibration = policy.group(scores, labels, Math.max(1, classes.size()));
        if (thresholds.size() != calibration.size() || thresholds.stream().anyMatch(value -> value.isNaN())) {
            throw new IllegalArgumentException(
                    "a detector needs " + calibration.size() + " thresholds but has " + thresholds);
        }
        if (classes.size() == 1 || new HashSet<>(classes).size() < classes.size()) {
            throw new IllegalArgumentException("class names must be at least 2 and different but are " + classes);
        }
    }

    /** Starts a detector with this kind of scorer. */
    public static Builder of(ScorerKind kind) {
        return new Builder(kind);
    }

    /**
     * Loads the detector of a file or a run folder. It detects on outputs; it does not open the classifier.
     *
     * @throws IOException naming the file and the broken rule
     */
    public static Detector load(Path file) throws IOException {
        return files().load(file);
    }

    /** Saves this detector, without its classifier, to a file. */
    public void save(Path file) throws IOException {
        files().save(this, file);
    }

    private static Files files() {
        return ServiceLoader.load(Files.class, Detector.class.getClassLoader())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("wood-core is incomplete: it has no Detector.Files"));
    }

    /** A verdict for each sample, in their order. Outputs need not be finite: see {@link #score}. */
    public List<Verdict> detect(Outputs outputs) {
        Outputs once = outputs.withSoftmax();
        double[] all = score(once);
        return IntStream.range(0, all.length)
                .mapToObj(i -> verdict(once, i, all[i]))
                .toList();
    }

    private Verdict verdict(Outputs outputs, int sample, double score) {
        int label = Verdict.NO_LABEL;
        double probability = Double.NaN;
        if (outputs.hasPredictions() && !classes.isEmpty()) {
            label = outputs.label(sample);
            probability = outputs.probabilities(sample)[label];
        }
        Threshold threshold = threshold(label);
        return new Verdict(label, probability, score, pValue(label, score), threshold.value(), threshold.isOod(score));
    }

    /**
     * The scores of samples. A sample whose logits contain NaN or +Infinity scores NaN, which is OOD. -Infinity is a class
     * without mass.
     *
     * @throws CannotRunException if the outputs lack something the scorer needs
     */
    public double[] score(Outputs outputs) {
        if (outputs.hasPredictions() && !classes.isEmpty() && outputs.classes() != classes.size()) {
            throw new IllegalArgumentException(
                    "the detector has " + classes.size() + " classes but the outputs have " + outputs.classes());
        }
        if (policy.perClass() && !outputs.hasPredictions()) {
            throw new CannotRunException("thresholds per class need logits or probabilities");
        }
        outputs.require(kind);
        double[] all = scorer.score(outputs);
        if (outputs.hasLogits()) {
            double[] largest = outputs.logits().mapRows(Probabilities::max);
            for (int i = 0; i < all.length; i++) {
                all[i] = largest[i] < Double.POSITIVE_INFINITY ? all[i] : Double.NaN;
            }
        }
        return all;
    }

    /** The threshold for samples of this predicted label. */
    public Threshold threshold(int label) {
        return new Threshold(thresholds.get(group(label)), policy.tnr());
    }

    /** The chance that an InD sample of this predicted label scores at least this much. */
    public double pValue(int label, double score) {
        return calibration.pValue(group(label), score);
    }

    private int group(int label) {
        return policy.perClass() ? label : 0;
    }

    /** The kind of scorer. */
    public ScorerKind kind() {
        return kind;
    }

    /** The settings that the scorer was fitted with. */
    public Settings settings() {
        return settings;
    }

    /** The fitted scorer. */
    public Scorer scorer() {
        return scorer;
    }

    /** How the thresholds were chosen. */
    public ThresholdPolicy policy() {
        return policy;
    }

    /** One threshold for all samples, or one for each class; infinite for a class with too few scores. */
    public List<Double> thresholds() {
        return thresholds;
    }

    /** Scores of the held-out InD samples that thresholds and p-values come from. */
    public double[] scores() {
        return scores.clone();
    }

    /** The labels predicted for them; all 0 without predictions. */
    public int[] labels() {
        return labels.clone();
    }

    /** Class names in the order of the labels; empty without predictions. */
    public List<String> classes() {
        return classes;
    }

    /** SHA-256 of the samples it was made from, by purpose. */
    public Map<String, String> data() {
        return data;
    }

    /** The classifier whose outputs it scores; empty for a detector made from arrays. */
    public Optional<ClassifierReference> classifier() {
        return Optional.ofNullable(classifier);
    }

    /** This detector for the outputs of a classifier, or of none. */
    public Detector withClassifier(@Nullable ClassifierReference newClassifier) {
        return new Detector(
                new Parts(kind, settings, scorer, policy, thresholds, scores, labels, classes, data, newClassifier));
    }

    /** The same scorer with thresholds from other held-out InD outputs. */
    public Detector recalibrated(ThresholdPolicy newPolicy, Outputs heldOut) {
        return new Builder(kind, settings, scorer)
                .classes(classes)
                .data(data)
                .classifier(classifier)
                .policy(newPolicy)
                .calibrate(heldOut);
    }

    /** Builds a detector step by step: settings, fit, then thresholds. */
    public static final class Builder {

        private final ScorerKind kind;
        private Settings settings;
        private @Nullable Scorer scorer;
        private @Nullable Outputs training;
        private ThresholdPolicy policy = ThresholdPolicy.conformal(0.95);
        private List<String> classes = List.of();
        private Map<String, String> data = Map.of();
        private @Nullable ClassifierReference classifier;

        private Builder(ScorerKind kind) {
            this.kind = kind;
            this.settings = kind.settings();
        }

        private Builder(ScorerKind kind, Settings settings, Scorer scorer) {
            this.kind = kind;
            this.settings = settings;
            this.scorer = scorer;
        }

        /**
         * Changes settings of the scorer. Those that are not named keep their defaults.
         *
         * @throws IllegalStateException if the scorer is fitted already
         */
        public Builder settings(Settings changed) {
            if (scorer != null) {
                throw new IllegalStateException("the scorer is fitted already. Change settings before fit().");
            }
            this.settings = changed.over(kind.settings());
            return this;
        }

        /** Fits the scorer to training outputs of unknown labels. */
        public Builder fit(Outputs newTraining) {
            return fit(FitData.of(newTraining));
        }

        /**
         * Fits the scorer.
         *
         * @throws CannotRunException if the data lack something the scorer needs
         * @throws IllegalArgumentException if training outputs are not finite
         */
        public Builder fit(FitData fitData) {
            training = fitData.training();
            if (training != null) {
                training.requireFinite();
            }
            fitData.require(kind);
            scorer = kind.fit(fitData, settings);
            return this;
        }

        /**
         * The outputs to calibrate with, completed by everything the fitted scorer measures on the samples themselves. Needed
         * for kinds that require samples only.
         */
        public <T> Outputs complete(Classifier<T> samplesClassifier, List<T> samples, Outputs outputs) {
            return SampleScorer.complete(
                    Objects.requireNonNull(scorer, "fit() first"), samplesClassifier, samples, outputs);
        }

        /** Names the classes, in the order of the labels. Default: their numbers. */
        public Builder classes(List<String> names) {
            this.classes = List.copyOf(names);
            return this;
        }

        /** Records SHA-256 hashes of the samples behind the detector, by purpose. */
        public Builder data(Map<String, String> hashes) {
            this.data = Map.copyOf(hashes);
            return this;
        }

        /** Records the classifier whose outputs are scored. */
        public Builder classifier(@Nullable ClassifierReference reference) {
            this.classifier = reference;
            return this;
        }

        /** One conformal threshold that keeps at least this fraction of InD samples. This is the default, at 0.95. */
        public Builder conformal(double tnr) {
            return policy(ThresholdPolicy.conformal(tnr));
        }

        /** How to choose thresholds. */
        public Builder policy(ThresholdPolicy newPolicy) {
            this.policy = newPolicy;
            return this;
        }

        /**
         * Chooses thresholds and completes the detector. A scorer that was not fitted is fitted to nothing.
         *
         * @param heldOut finite outputs of InD samples that neither the network nor the scorer has seen
         * @throws IllegalArgumentException if these are the training outputs, or not finite
         */
        public Detector calibrate(Outputs heldOut) {
            if (heldOut.size() == 0) {
                throw new IllegalArgumentException("calibration needs at least one held-out sample but has none");
            }
            if (training != null && training.hasSameRows(heldOut)) {
                throw new IllegalArgumentException("the scorer was fitted to the outputs it is to be calibrated on,"
                        + " so the promised false alarm rate would not hold. Calibrate on other held-out outputs.");
            }
            heldOut.requireFinite();
            if (scorer == null) {
                fit(FitData.NONE);
            }
            heldOut.require(kind);
            Scorer fitted = Objects.requireNonNull(scorer);
            double[] scores = fitted.score(heldOut);
            boolean predicts = heldOut.hasPredictions();
            int[] labels = IntStream.range(0, scores.length)
                    .map(i -> predicts ? heldOut.label(i) : 0)
                    .toArray();
            List<String> names = classes.isEmpty() && predicts
                    ? IntStream.range(0, heldOut.classes())
                            .mapToObj(String::valueOf)
                            .toList()
                    : classes;
            if (predicts && names.size() != heldOut.classes()) {
                throw new IllegalArgumentException("there are " + names.size() + " class names but the outputs have "
                        + heldOut.classes() + " classes");
            }
            if (policy.perClass() && !predicts) {
                throw new CannotRunException("thresholds per class need logits or probabilities");
            }
            ClassCalibration groups = policy.group(scores, labels, Math.max(1, names.size()));
            return new Detector(new Parts(
                    kind, settings, fitted, policy, policy.choose(groups), scores, labels, names, data, classifier));
        }
    }

    @Override
    public String toString() {
        return "Detector[" + kind.id() + (settings.values().isEmpty() ? "" : " " + settings) + ", thresholds "
                + (thresholds.size() == 1 ? thresholds.get(0) : thresholds.size() + " values, one per class")
                + ", " + scores.length + " calibration scores]";
    }
}
