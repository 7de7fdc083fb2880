package ai.wood.cli;

import ai.wood.Classifier;
import ai.wood.ClassifierReference;
import ai.wood.Detector;
import ai.wood.Requirement;
import ai.wood.data.Image;
import ai.wood.io.DetectorFile;
import ai.wood.io.TemporaryFolder;
import ai.wood.onnx.OnnxFile;
import ai.wood.onnx.OnnxFormat;
import ai.wood.onnx.OnnxNetwork;
import ai.wood.onnx.OnnxOptions;
import ai.wood.torch.Devices;
import ai.wood.torch.net.NetworkDescription;
import ai.wood.torch.train.RunFolder;
import ai.wood.torch.train.Throughput;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** A calibrated run in, one file out. */
@Command(
        name = "bundle",
        description = "Packs the detector of a run folder into one file that runs anywhere.",
        footer = {
            "",
            "The file holds the network, the fitted scorer, thresholds, calibration scores, class names and the hashes of",
            "everything. Make the detector with wood calibrate first.",
            "",
            "Examples:",
            "  wood bundle run -o detector.wood",
            "  wood detect detector.wood photos/",
            "  wood bundle run --engine auto -o detector.wood",
            "  wood bundle run --outputs-only -o outputs.wood"
        })
final class BundleCommand implements Callable<Integer> {

    private static final String ONNX = new OnnxFormat().name();
    private static final String NONE = "none";
    private static final int TRIALS = 10;

    /** What networks say on libtorch only. */
    private static final Set<Requirement> TORCH_ONLY =
            EnumSet.of(Requirement.LAYERS, Requirement.CONFIDENCE, Requirement.REJECT);

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "RUN", description = "A run folder with a detector.")
    private Path run;

    @Option(
            names = {"-o", "--out"},
            paramLabel = "FILE",
            required = true,
            description = "The file to write, such as detector.wood.")
    private Path out;

    @Option(
            names = "--outputs-only",
            description =
                    "Without the network: it judges logits, unless its scorer needs more, and needs no native code.")
    private boolean outputsOnly;

    @Option(
            names = "--engine",
            paramLabel = "E",
            description = "What is to run the network: torch; onnx, on the CPU, quicker for single images; or auto, the"
                    + " faster one for single images on this machine. Default: what the run has.")
    private @Nullable EngineChoice engine;

    @Override
    public Integer call() throws IOException {
        new OptionRules(spec)
                .onlyFor("bundles with a network", !outputsOnly, "--outputs-only leaves it out", "--engine");
        if (!outputsOnly && Files.isRegularFile(run)) {
            throw new IOException(run + ": a network is packed from the folder of a run but this is a file. Maybe it is"
                    + " a bundle already, to be copied, or to be left without its network by --outputs-only.");
        }
        new RunFolder(run).refuse(out);
        try (DetectorFile file = DetectorFile.open(run)) {
            Detector detector = file.detector();
            String network =
                    detector.classifier().map(ClassifierReference::format).orElse(NONE);
            boolean isOnnx = network.equals(ONNX);
            boolean asTold = engine != EngineChoice.TORCH || !isOnnx;
            new OptionRules(spec).onlyFor("networks that were not ONNX files", asTold, "this one was", "--engine");
            if (outputsOnly) {
                warnOfFeatures(detector);
                detector.save(out);
                network = NONE;
            } else if (engine != null && engine != EngineChoice.TORCH && !isOnnx) {
                network = pack(file, CheckedExport.of(run, null).file());
            } else {
                pack(file);
            }
            PrintWriter printer = spec.commandLine().getOut();
            printer.printf("detector  %s, %,d bytes%n", out, Files.size(out));
            printer.printf(
                    "scorer %s, %d classes, network %s%n",
                    detector.kind().id(), detector.classes().size(), network);
        }
        return 0;
    }

    /** Packs the detector with the network of the run. */
    private void pack(DetectorFile file) throws IOException {
        Map<String, Path> parts = new TreeMap<>();
        file.classifierParts().forEach(part -> parts.put(part, run.resolve(part)));
        DetectorFile.save(file.detector(), parts, out);
    }

    private void warnOfFeatures(Detector detector) {
        ScorerNeeds.beyondPredictions(detector.kind())
                .ifPresent(more -> Main.warn(
                        spec,
                        "the scorer " + detector.kind().id() + " needs " + more.description()
                                + ": without the network the bundle judges in Java only, outputs that hold these. Maybe leave"
                                + " --outputs-only out, or calibrate with a scorer of `wood score --help`."));
    }

    /** Packs the network as an ONNX file, if it is to be; returns what it was packed as. */
    private String pack(DetectorFile file, OnnxFile exported) throws IOException {
        Detector detector = file.detector();
        Optional<Requirement> lacking =
                detector.kind().requires().stream().filter(TORCH_ONLY::contains).findFirst();
        if (lacking.isPresent()) {
            throw new IllegalArgumentException("--engine onnx and auto are for scorers that judge logits and features"
                    + " but " + detector.kind().id() + " needs " + lacking.get().description()
                    + ". Maybe leave --engine out.");
        }
        if (engine == EngineChoice.AUTO && !isFaster(exported)) {
            pack(file);
            return detector.classifier().orElseThrow().format();
        }
        try (TemporaryFolder folder = TemporaryFolder.create()) {
            Path onnx = folder.path().resolve(OnnxFormat.FILE);
            exported.write(onnx);
            ClassifierReference torch = detector.classifier().orElseThrow();
            Detector onOnnx = detector.withClassifier(
                    new ClassifierReference(ONNX, torch.shape(), torch.mean(), torch.deviation()));
            DetectorFile.save(onOnnx, Map.of(OnnxFormat.FILE, onnx), out);
        }
        return ONNX;
    }

    /** Whether ONNX Runtime is faster than libtorch, image by image. */
    private boolean isFaster(OnnxFile exported) throws IOException {
        OnnxOptions options = exported.options(null);
        try (Classifier<Image> torch = NetworkDescription.open(run, Devices.cpu());
                Classifier<Image> onnx = OnnxNetwork.of(exported, options)) {
            List<Double> rates = Throughput.infer(List.of(torch, onnx), options.shape(), 1, TRIALS);
            spec.commandLine()
                    .getOut()
                    .printf("torch %.1f images/s, onnx %.1f, one by one%n", rates.get(0), rates.get(1));
            return rates.get(1) > rates.get(0);
        }
    }
}
