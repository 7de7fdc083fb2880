package ai.wood.report;

import ai.wood.CannotRunException;
import ai.wood.FitData;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.ScorerKind;
import ai.wood.Seed;
import ai.wood.Settings;
import ai.wood.data.Catalogue;
import ai.wood.data.Dataset;
import ai.wood.data.Split;
import ai.wood.data.Subset;
import ai.wood.evaluate.Comparison;
import ai.wood.evaluate.Distance;
import ai.wood.evaluate.NetworkOutputs;
import ai.wood.evaluate.NetworkOutputs.Ood;
import ai.wood.evaluate.SampleSet;
import ai.wood.evaluate.ScorerSetup;
import ai.wood.metric.Bootstrap;
import ai.wood.score.ScorerKinds;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/** Reports of networks that never were: seeded outputs for real images, many scorers and sets, hostile names. */
final class Synthetic {

    /** A name that would like to be more. */
    static final String HOSTILE = "</script><img src=x onerror=alert(1)>\u2028'\"&";

    private static final int CLASSES = 10;
    private static final int FEATURES = 16;

    private Synthetic() {}

    /** Writes the report and its figures, for looking at: arguments are the folder, the number of scorers and that of samples
     * in each set at most. */
    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0]);
        Report report =
                report(List.of("plain", "wood"), Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
        report.write(folder.resolve("report.html"));
        report.writeFigures(folder.resolve("figures"));
    }

    /** Networks that know better and better what they do not know. */
    static Report report(List<String> networks, int scorers, int samples) throws IOException {
        List<Comparison> comparisons = new ArrayList<>();
        for (int i = 0; i < networks.size(); i++) {
            NetworkOutputs outputs = outputs(networks.get(i), 1 + i, samples);
            List<ScorerKind> able = ScorerKinds.all().stream()
                    .filter(kind -> canRun(kind, outputs))
                    .limit(scorers)
                    .toList();
            Comparison comparison = Comparison.of(outputs, able, 0.95, Bootstrap.DEFAULTS.withReplicates(100));
            comparisons.add(padded(comparison, scorers));
        }
        Training training = new Training(
                JsonNodeFactory.instance.objectNode().put("loss", HOSTILE),
                IntStream.range(0, 12)
                        .mapToObj(e -> new Training.Epoch(
                                e,
                                2.0 / (e + 1),
                                -0.02 * e,
                                2.2 / (e + 1),
                                1 - 0.5 / (e + 1),
                                1 - 0.3 / (e + 1),
                                0.8 / (e + 1),
                                e == 9))
                        .toList());
        return new Report(comparisons, Map.of(networks.get(0), training), Map.of("command", "wood demo --seed 1"));
    }

    private static boolean canRun(ScorerKind kind, NetworkOutputs outputs) {
        try {
            outputs.setup().data().require(kind);
            outputs.test().outputs().require(kind);
            return true;
        } catch (CannotRunException e) {
            return false;
        }
    }

    /** As many results as wanted, by repeating the real ones under other names. */
    private static Comparison padded(Comparison comparison, int scorers) {
        List<Comparison.Result> results = IntStream.range(0, scorers)
                .mapToObj(i -> {
                    Comparison.Result result =
                            comparison.results().get(i % comparison.results().size());
                    return i < comparison.results().size() ? result : renamed(result, result.name() + "-" + i);
                })
                .toList();
        return new Comparison(comparison.outputs(), results, List.of(new Comparison.Skipped("odin", HOSTILE)));
    }

    private static Comparison.Result renamed(Comparison.Result result, String name) {
        return new Comparison.Result(
                name,
                result.settings(),
                false,
                "held-out samples of seen OOD: fashion-mnist-small",
                result.thresholds(),
                result.validationScores(),
                result.indScores(),
                result.falseAlarmRate(),
                result.acceptedAccuracy(),
                result.spent(),
                result.onOod());
    }

    private static NetworkOutputs outputs(String network, double skill, int samples) throws IOException {
        Catalogue catalogue = Catalogue.at(null);
        SampleSet fit = part(catalogue.open("mnist-small", Split.TRAIN), samples, new Random(1), 5);
        Dataset test = catalogue.open("mnist-small", Split.TEST);
        List<Ood> ood = new ArrayList<>();
        ood.add(new Ood(
                part(catalogue.open("fashion-mnist-small", Split.TEST), samples, new Random(3), 5 - 2.2 * skill),
                true,
                Distance.NEAR));
        List<String> unseen = List.of(
                "gaussian-noise", "uniform-noise", "blobs", "patch-shuffled:mnist-small", "blurred:mnist-small");
        for (int i = 0; i < unseen.size(); i++) {
            Dataset set = catalogue.open(unseen.get(i), Split.TEST, test.shape());
            ood.add(new Ood(
                    part(set, samples, new Random(4 + i), 4.4 - skill * (5 - i) / 3.0),
                    false,
                    Distance.of("mnist-small", unseen.get(i))));
        }
        return new NetworkOutputs(
                network,
                null,
                new ScorerSetup(
                        FitData.of(fit.outputs())
                                .withLabels(Arrays.stream(fit.labels()).boxed().toList()),
                        Settings.NONE),
                null,
                fit,
                part(test, samples, new Random(2), 5),
                ood,
                false,
                List.of("Outputs were made up."));
    }

    /** Logits that favour the true class, or some class where there is none, as much as the certainty says. */
    private static SampleSet part(Dataset whole, int samples, Random random, double certainty) {
        Dataset set = Subset.random(whole, Math.min(samples, whole.size()), new Seed(1));
        double[][] logits = new double[set.size()][CLASSES];
        double[][] features = new double[set.size()][FEATURES];
        for (int i = 0; i < set.size(); i++) {
            int label = Math.max(0, set.label(i) % CLASSES);
            for (int k = 0; k < CLASSES; k++) {
                logits[i][k] = random.nextGaussian() * 1.3 + (k == label ? certainty : 0);
            }
            for (int k = 0; k < FEATURES; k++) {
                features[i][k] = random.nextGaussian() + (k == label ? 2 * certainty : 0);
            }
        }
        return SampleSet.of(set, Outputs.ofLogits(Matrix.of(logits)).withFeatures(Matrix.of(features)));
    }
}
