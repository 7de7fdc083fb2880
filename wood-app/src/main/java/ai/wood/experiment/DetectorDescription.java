package ai.wood.experiment;

import ai.wood.Detector;
import ai.wood.Image;
import ai.wood.Matrix;
import ai.wood.Network;
import ai.wood.Outputs;
import ai.wood.Scorer;
import ai.wood.Split;
import ai.wood.Threshold;
import ai.wood.Thresholds;
import ai.wood.calibrate.Calibration;
import ai.wood.calibrate.ClassCalibration;
import ai.wood.data.transform.Fit;
import ai.wood.experiment.NetworkOutputs.Part;
import ai.wood.experiment.NetworkOutputs.Tuning;
import ai.wood.score.Need;
import ai.wood.score.ScorerOptions;
import ai.wood.score.Scorers;
import ai.wood.torch.Devices;
import ai.wood.torch.TorchNetwork;
import ai.wood.torch.net.NetworkDescription;
import ai.wood.transport.GroundCost;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * All one must know to run a detector beside its network: {@code detector.json} of a run folder. Scorers that are fitted
 * are fitted again, to the outputs that the run keeps.
 *
 * @param network hash of the network it was made for
 * @param scorer its name in the catalogue
 * @param cost ground cost of the WOOD score: {@code binary}, {@code dynamic} or {@code custom}
 * @param costMatrix the rows of a custom cost; empty otherwise
 * @param samples what the scorer is fitted to and tuned on
 * @param choice how thresholds are chosen
 * @param thresholds one for all classes, or one for each; infinite for a class with too few scores
 * @param scores of the calibration samples
 * @param labels predicted for them
 */
public record DetectorDescription(
        String network,
        String scorer,
        String cost,
        List<List<Double>> costMatrix,
        Samples samples,
        Choice choice,
        List<Double> thresholds,
        List<Double> scores,
        List<Integer> labels) {

    private static final String FILE = "detector.json";
    private static final int MAX_CLASSES = 100_000;
    private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");

    /**
     * How thresholds are chosen.
     *
     * @param tnr share of InD samples to keep
     * @param conformal with a guarantee, not as a plain quantile
     * @param perClass one for each predicted class
     * @param classes how many there are
     */
    public record Choice(double tnr, boolean conformal, boolean perClass, int classes) {

        public Choice {
            if (classes < 2 || classes > MAX_CLASSES) {
                throw new IllegalArgumentException(
                        "there must be 2 to " + MAX_CLASSES + " classes but there are " + classes);
            }
        }

        Thresholds choose(double[] scores, int[] labels) {
            if (perClass) {
                ClassCalibration calibration = ClassCalibration.of(scores, labels, classes);
                return calibration.thresholds(IntStream.range(0, classes)
                        .mapToObj(k -> conformal ? calibration.conformal(k, tnr) : calibration.quantile(k, tnr))
                        .toList());
            }
            Calibration calibration = Calibration.of(scores);
            return calibration.thresholds(conformal ? calibration.conformal(tnr) : calibration.quantile(tnr));
        }

        List<Double> values(Thresholds thresholds) {
            return IntStream.range(0, perClass ? classes : 1)
                    .mapToObj(k -> thresholds.of(k).value())
                    .toList();
        }
    }

    /**
     * Hashes of the samples behind a detector, by which the run keeps their outputs.
     *
     * @param calibration InD samples that the thresholds come from
     * @param fit InD samples that the scorer is fitted to; empty for none
     * @param tuning InD and OOD samples that it is tuned on; empty for none
     * @param limit how many samples of each were used at most; 0 for all
     */
    public record Samples(String calibration, String fit, List<String> tuning, int limit) {

        public Samples {
            tuning = List.copyOf(tuning);
            boolean known = HASH.matcher(calibration).matches()
                    && (fit.isEmpty() || HASH.matcher(fit).matches())
                    && tuning.stream().allMatch(hash -> HASH.matcher(hash).matches());
            if (!known || (!tuning.isEmpty() && tuning.size() != 2)) {
                throw new IllegalArgumentException("samples must be named by SHA-256 in hexadecimal");
            }
        }
    }

    public DetectorDescription {
        costMatrix = costMatrix.stream().map(List::copyOf).toList();
        thresholds = List.copyOf(thresholds);
        scores = List.copyOf(scores);
        labels = List.copyOf(labels);
        Scorers.byId(scorer);
        groundCost(cost, costMatrix);
        int classes = choice.classes();
        if (scores.size() != labels.size() || labels.stream().anyMatch(label -> label < 0 || label >= classes)) {
            throw new IllegalArgumentException("every score needs a label below the number of classes, " + classes);
        }
        List<Double> chosen = choice.values(choice.choose(doubles(scores), ints(labels)));
        if (!chosen.equals(thresholds)) {
            throw new IllegalArgumentException(
                    "thresholds must follow from the scores, " + chosen + ", but are " + thresholds);
        }
    }

    /**
     * Makes a detector of a trained network, by InD samples held out from training.
     *
     * @param options the one scorer it is made of; its OOD sets do not matter
     */
    public static DetectorDescription calibrate(Run run, EvaluateOptions options, Choice choice) throws IOException {
        Scorers name = options.scorers().get(0);
        Optional<Tuning> tuning =
                options.needs(Need.TUNING) ? Optional.of(new TuningData(run).open(options)) : Optional.empty();
        Part validation = run.part(run.data().limited(run.heldOut(Split.VALIDATION), options.fitLimit()));
        ScorerOptions told = run.scorerOptions(options, tuning);
        double[] scores = name.create(told).score(validation.outputs());
        int[] labels = IntStream.range(0, scores.length)
                .map(validation.outputs()::label)
                .toArray();
        return new DetectorDescription(
                run.hash(),
                name.id(),
                costName(options.cost()),
                costRows(options.cost(), choice.classes()),
                new Samples(
                        validation.dataset().hash(),
                        options.needs(Need.FIT) ? run.fit(options).hash() : "",
                        tuning.map(parts -> List.of(
                                        parts.ind().dataset().hash(),
                                        parts.ood().dataset().hash()))
                                .orElse(List.of()),
                        options.fitLimit()),
                choice,
                choice.values(choice.choose(scores, labels)),
                Arrays.stream(scores).boxed().toList(),
                IntStream.of(labels).boxed().toList());
    }

    /** Replaces {@code detector.json} of a run folder. */
    public void write(Path run) throws IOException {
        JsonFile.write(run.resolve(FILE), this);
    }

    /**
     * Reads {@code detector.json} of a run folder.
     *
     * @throws IOException where there is none, or it does not describe a detector
     */
    public static DetectorDescription read(Path run) throws IOException {
        return JsonFile.read(run.resolve(FILE), DetectorDescription.class, "a detector (wood calibrate makes one)");
    }

    /**
     * Opens the detector of a run folder. It judges images of any size and colour, fitted to the network's shape.
     *
     * @param device such as {@code cpu} or {@code cuda}
     */
    public static Detector open(Path run, String device) throws IOException {
        DetectorDescription description = read(run);
        NetworkDescription trained = NetworkDescription.read(run);
        if (!description.network.equals(NetworkDescription.hash(run))
                || description.choice.classes() != trained.classes().size()) {
            throw new IOException(run.resolve(FILE) + ": was made for another network, or number of classes, than is in"
                    + " the folder now. Maybe run `wood calibrate` again.");
        }
        TorchNetwork network = NetworkDescription.open(run, Devices.of(device));
        try {
            Scorer scorer = description.scorer(run, network);
            Fit fit = new Fit(trained.shape());
            return new Detector(new FittingNetwork(network, fit), scorer, description.chosen());
        } catch (IOException | RuntimeException e) {
            network.close();
            throw e;
        }
    }

    private Thresholds chosen() {
        return choice.choose(doubles(scores), ints(labels));
    }

    private Scorer scorer(Path run, Network trained) throws IOException {
        ScorerOptions told = ScorerOptions.DEFAULTS.withCost(groundCost(cost, costMatrix));
        told = trained.head().map(told::withHead).orElse(told);
        Path kept = run.resolve(Run.OUTPUTS);
        if (!samples.fit().isEmpty()) {
            OutputFile fit = OutputStore.read(kept, network, samples.fit());
            told = told.withInd(fit.outputs()).withLabels(fit.labels());
        }
        if (!samples.tuning().isEmpty()) {
            told = told.withTuning(new ai.wood.score.Tuning(
                    OutputStore.read(kept, network, samples.tuning().get(0)).outputs(),
                    OutputStore.read(kept, network, samples.tuning().get(1)).outputs()));
        }
        return Scorers.byId(scorer).create(told);
    }

    /** Shows a network images in its shape, and all its layers to scorers. */
    private record FittingNetwork(TorchNetwork network, Fit fit) implements Network {

        @Override
        public Outputs forward(List<Image> images) {
            SplittableRandom unused = new SplittableRandom(0);
            return network.forwardDetailed(
                    images.stream().map(image -> fit.apply(image, unused)).toList());
        }

        @Override
        public void close() {
            network.close();
        }
    }

    private static GroundCost groundCost(String name, List<List<Double>> rows) {
        return switch (name) {
            case "binary" -> GroundCost.binary();
            case "dynamic" -> GroundCost.dynamic();
            case "custom" ->
                GroundCost.custom(Matrix.of(
                        rows.stream().map(DetectorDescription::doubles).toArray(double[][]::new)));
            default -> throw new IllegalArgumentException("no ground cost is called '" + name + "'");
        };
    }

    private static String costName(GroundCost cost) {
        return cost.equals(GroundCost.binary()) ? "binary" : cost.equals(GroundCost.dynamic()) ? "dynamic" : "custom";
    }

    private static List<List<Double>> costRows(GroundCost cost, int classes) {
        if (!costName(cost).equals("custom")) {
            return List.of();
        }
        double[] uniform = new double[classes];
        Arrays.fill(uniform, 1.0 / classes);
        Matrix matrix = cost.matrix(uniform, 0);
        return IntStream.range(0, classes)
                .mapToObj(k -> Arrays.stream(matrix.row(k)).boxed().toList())
                .toList();
    }

    private static double[] doubles(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).toArray();
    }

    private static int[] ints(List<Integer> values) {
        return values.stream().mapToInt(Integer::intValue).toArray();
    }

    /** The threshold for all classes, or that of the first. */
    public Threshold threshold() {
        return new Threshold(thresholds.get(0), choice.tnr());
    }
}
