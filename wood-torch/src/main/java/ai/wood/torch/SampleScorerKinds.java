package ai.wood.torch;

import static ai.wood.Requirement.FEATURES;
import static ai.wood.Requirement.INPUT_GRADIENT;
import static ai.wood.Requirement.LABELS;
import static ai.wood.Requirement.SAMPLES;
import static ai.wood.Requirement.TRAINING;

import ai.wood.FitData;
import ai.wood.Parameters;
import ai.wood.Requirement;
import ai.wood.Scorer;
import ai.wood.ScorerKind;
import ai.wood.Settings;
import ai.wood.data.Image;
import ai.wood.score.MahalanobisScorer;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** The kinds of scorers that look at an image more than once, through a network that runs on libtorch. */
final class SampleScorerKinds {

    /** The magnitude that ODIN's paper found for most of its OOD sets on CIFAR-10. */
    private static final double USUAL_MAGNITUDE = 0.0014;

    private SampleScorerKinds() {}

    /** Validation images of both kinds to tune on, unless the settings fix the choice or there are none. */
    private static Optional<FitData.Samples<Image>> validation(FitData data, Settings settings) {
        boolean wanted = settings.word("tune").equals("auto");
        return Optional.of(samples(data))
                .filter(samples ->
                        wanted && !samples.ind().isEmpty() && !samples.ood().isEmpty());
    }

    @SuppressWarnings("unchecked") // PerturbedScorer.network refuses other classifiers than those of images
    private static FitData.Samples<Image> samples(FitData data) {
        return (FitData.Samples<Image>) Objects.requireNonNull(data.samples(), "the kind requires samples");
    }

    /** ODIN. */
    public static final class Odin implements ScorerKind {

        @Override
        public String id() {
            return "odin";
        }

        @Override
        public String description() {
            return "1 - max softmax(z(x') / T), x' a step from x towards certainty (Liang et al. 2018)";
        }

        @Override
        public Set<Requirement> requires() {
            return Set.of(SAMPLES, INPUT_GRADIENT);
        }

        /** {@code tune=auto} chooses both on validation images if there are any; {@code tune=never} takes these. */
        @Override
        public Settings settings() {
            return Settings.NONE.with("tune", "auto").with("temperature", 1000).with("magnitude", USUAL_MAGNITUDE);
        }

        @Override
        public Scorer fit(FitData data, Settings settings) {
            return validation(data, settings)
                    .map(PerturbedScorer::tunedOdin)
                    .orElseGet(
                            () -> PerturbedScorer.odin(settings.number("temperature"), settings.number("magnitude")));
        }

        @Override
        public Scorer restore(Parameters saved) {
            return PerturbedScorer.odin(saved.number("temperature"), saved.number("magnitude"));
        }
    }

    /** The Mahalanobis distance after a small step of the image. */
    public static final class MahalanobisNoise implements ScorerKind {

        @Override
        public String id() {
            return "mahalanobis-noise";
        }

        @Override
        public String description() {
            return "Mahalanobis distance after a step towards the nearest class mean (Lee et al. 2018)";
        }

        @Override
        public Set<Requirement> requires() {
            return Set.of(SAMPLES, INPUT_GRADIENT, FEATURES, TRAINING, LABELS);
        }

        /** {@code tune=auto} chooses the magnitude on validation images if there are any; {@code tune=never} takes this one. */
        @Override
        public Settings settings() {
            return Settings.NONE.with("tune", "auto").with("magnitude", USUAL_MAGNITUDE);
        }

        @Override
        public Scorer fit(FitData data, Settings settings) {
            MahalanobisScorer fitted = MahalanobisScorer.fit(data.requireTraining(), data.labels());
            return validation(data, settings)
                    .map(samples -> PerturbedScorer.tunedMahalanobis(fitted, samples))
                    .orElseGet(() -> PerturbedScorer.mahalanobis(fitted, settings.number("magnitude")));
        }

        @Override
        public Scorer restore(Parameters saved) {
            return PerturbedScorer.mahalanobis(MahalanobisScorer.of(saved), saved.number("magnitude"));
        }
    }

    /** The change of a prediction when the image is shifted or mirrored. */
    public static final class Invariance implements ScorerKind {

        @Override
        public String id() {
            return "invariance";
        }

        @Override
        public String description() {
            return "mean KL(f(x) || f(t(x))) over shifts and mirroring t (after Bahat and Shakhnarovich 2018)";
        }

        @Override
        public Set<Requirement> requires() {
            return Set.of(SAMPLES, INPUT_GRADIENT);
        }

        @Override
        public Scorer fit(FitData data, Settings settings) {
            FitData.Samples<Image> samples = samples(data);
            return samples.ind().isEmpty()
                    ? new InvarianceScorer(true)
                    : InvarianceScorer.fit(PerturbedScorer.network(samples.classifier()), samples.ind());
        }

        @Override
        public Scorer restore(Parameters saved) {
            return new InvarianceScorer(saved.number("mirror") != 0);
        }
    }
}
