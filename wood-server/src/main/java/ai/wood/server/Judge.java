package ai.wood.server;

import ai.wood.CannotRunException;
import ai.wood.Outputs;
import ai.wood.Verdict;
import ai.wood.data.Image;
import ai.wood.data.Shape;
import ai.wood.data.transform.Fit;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Gives the verdicts of one detector, in batches. Its monitor watches them. */
final class Judge implements AutoCloseable {

    /** The number of classes that are shown with a verdict, at most. */
    private static final int TOP = 10;

    /** A verdict and the probabilities of the classes, in the order of the labels. */
    record Judgement(Verdict verdict, List<Double> probabilities) {}

    private final NamedDetector served;
    private final Batcher batcher;
    private final Monitor monitor;

    Judge(NamedDetector served, ServerOptions options, MeterRegistry meters, InstantSource clock) {
        this.served = served;
        this.monitor = new Monitor(served, options.falseAlarms(), meters, clock);
        served.images().ifPresent(images -> images.detect(List.of(black(shape())))); // the first pass is slow
        this.batcher = new Batcher(served.name(), this::judgeBatch, options.batch(), meters);
    }

    private static Image black(Shape shape) {
        return Image.wrap(shape, new byte[shape.length()]);
    }

    NamedDetector served() {
        return served;
    }

    Monitor monitor() {
        return monitor;
    }

    /** The shape of the images it judges. */
    Shape shape() {
        return served.shape()
                .orElseThrow(() -> Problem.of(
                        422, "detector " + served.name() + " has no network. It takes outputs, at /v1/detect"));
    }

    /** Brings an image of any size and colour to the network's shape. Do it before the image waits in the queue. */
    Image fitted(Image image) {
        return new Fit(shape()).apply(image, new SplittableRandom(0));
    }

    /**
     * Judges images in their turn, unless {@code abandoned} is done by then: nobody waits for them any more.
     *
     * @param monitored whether the verdicts count in the monitor
     */
    CompletableFuture<List<Judgement>> judge(List<Image> images, Future<Void> abandoned, boolean monitored) {
        return batcher.submit(images, abandoned).thenApply(judged -> watched(judged, monitored));
    }

    private List<Judgement> judgeBatch(List<Image> images) {
        return judge(served.images().orElseThrow().outputs(images));
    }

    /** Judges the outputs of a classifier elsewhere, at once. A detector without classes looks at features only. */
    List<Judgement> judge(Outputs outputs, boolean monitored) {
        boolean featuresOnly = classes().isEmpty() && outputs.hasFeatures();
        if (!classes().isEmpty()
                && outputs.hasPredictions()
                && outputs.classes() != classes().size()) {
            throw Problem.badRequest(
                    "a row must have one number for each of " + classes().size() + " classes");
        }
        try {
            return watched(
                    judge(featuresOnly ? Outputs.ofFeatures(outputs.features()).withLayers(outputs.layers()) : outputs),
                    monitored);
        } catch (CannotRunException e) { // the scorer needs more than these outputs
            throw Problem.of(422, String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException e) { // features of another width
            throw Problem.badRequest(String.valueOf(e.getMessage()));
        }
    }

    private List<String> classes() {
        return served.classes();
    }

    private List<Judgement> watched(List<Judgement> judged, boolean monitored) {
        if (monitored) {
            judged.forEach(judgement -> monitor.record(judgement.verdict()));
        }
        return judged;
    }

    private List<Judgement> judge(Outputs outputs) {
        List<Verdict> verdicts = served.detector().detect(outputs);
        return IntStream.range(0, verdicts.size())
                .mapToObj(i -> new Judgement(verdicts.get(i), probabilities(outputs, i)))
                .toList();
    }

    private static List<Double> probabilities(Outputs outputs, int sample) {
        return outputs.hasPredictions()
                ? Arrays.stream(outputs.probabilities(sample)).boxed().toList()
                : List.of();
    }

    /** The name of the predicted class; null without a prediction. */
    @Nullable
    String label(Verdict verdict) {
        return verdict.label() == Verdict.NO_LABEL ? null : classes().get(verdict.label());
    }

    /** A verdict for people. */
    ObjectNode json(Judgement judgement) {
        Verdict verdict = judgement.verdict();
        ObjectNode json = HttpJson.object()
                .put("detector", served.name())
                .put("label", label(verdict))
                .put("probability", HttpJson.finite(verdict.probability()))
                .put("score", HttpJson.finite(verdict.score()))
                .put("pValue", verdict.pValue())
                .put("ood", verdict.ood())
                .put("threshold", HttpJson.finite(verdict.threshold()))
                .put("reason", reason(verdict));
        ArrayNode top = json.putArray("top");
        List<Double> probabilities = judgement.probabilities();
        IntStream.range(0, probabilities.size())
                .boxed()
                .sorted(Comparator.comparing(probabilities::get).reversed())
                .limit(TOP)
                .forEach(k -> top.addObject()
                        .put("label", classes().get(k))
                        .put("probability", HttpJson.finite(probabilities.get(k))));
        return json;
    }

    private static String reason(Verdict verdict) {
        if (Double.isNaN(verdict.score())) {
            return "The classifier's outputs contain NaN or Infinity, or the score is NaN.";
        }
        String place = verdict.ood() ? "above" : "not above";
        return "The score is " + place + " the threshold. Of samples like those it was calibrated on, "
                + share(verdict.pValue()) + " score as high.";
    }

    private static String share(double pValue) {
        if (pValue > 0.995) {
            return "nearly all";
        }
        return pValue >= 0.1
                ? String.format(Locale.ROOT, "about %.0f in 100", 100 * pValue)
                : String.format(Locale.ROOT, "at most about 1 in %,d", Math.round(1 / pValue));
    }

    /** Judges what was accepted, and takes no more. The detector stays open for its owner to close. */
    @Override
    public void close() {
        batcher.close();
    }
}
