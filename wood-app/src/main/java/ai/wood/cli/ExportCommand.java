package ai.wood.cli;

import ai.wood.Image;
import ai.wood.Matrix;
import ai.wood.Network;
import ai.wood.Shape;
import ai.wood.bundle.Bundle;
import ai.wood.bundle.safetensors.Safetensors;
import ai.wood.onnx.OnnxFile;
import ai.wood.onnx.OnnxFormat;
import ai.wood.onnx.OnnxNetwork;
import ai.wood.onnx.export.OnnxExport;
import ai.wood.onnx.export.OnnxExport.Judge;
import ai.wood.torch.Devices;
import ai.wood.torch.net.NetworkDescription;
import ai.wood.torch.train.RunFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** A trained network in, an ONNX file out. */
@Command(
        name = "export",
        description = "Writes a run's network as an ONNX file, with score and threshold where it has a detector.",
        footer = {
            "",
            "In: images, floats between 0 and 1, count x channels x height x width. Out: logits, probabilities, features, and",
            "of a calibrated run score and ood. Before the file is written it is run beside the network. See docs/onnx.md.",
            "",
            "Examples:",
            "  wood calibrate run --scorer energy",
            "  wood export run --onnx detector.onnx"
        })
final class ExportCommand implements Callable<Integer> {

    private static final int IMAGES = 8;
    private static final double CLOSE = 1e-4;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "RUN", description = "The folder that train or adopt left.")
    private Path run;

    @Option(names = "--onnx", paramLabel = "FILE", required = true, description = "The file to write.")
    private Path file;

    @Override
    public Integer call() throws IOException {
        if (Files.exists(run.resolve(OnnxFormat.FILE))) {
            throw new IOException(run.resolve(OnnxFormat.FILE) + ": the network is an ONNX file already");
        }
        NetworkDescription description = NetworkDescription.read(run);
        Judge judge = judge();
        OnnxFile made;
        try (Safetensors weights = Safetensors.open(new RunFolder(run).network())) {
            made = OnnxExport.of(description, weights::floats, judge);
        }
        double apart = difference(made, description.shape());
        made.write(file);
        print(judge, apart);
        return 0;
    }

    /** The run's detector, which must be that of its network; null for none. */
    private @Nullable Judge judge() throws IOException {
        if (!Files.exists(run.resolve("detector.json"))) {
            return null;
        }
        try (Bundle bundle = Bundle.open(run, "cpu")) {
            return new Judge(
                    bundle.scorer(),
                    bundle.description().scorer().options(bundle.statistics()),
                    bundle.statistics(),
                    bundle.description().thresholds());
        }
    }

    /** How far logits of random images lie apart, at most, as a share of the largest one where that is above 1. */
    private double difference(OnnxFile made, Shape shape) throws IOException {
        byte[] noise = new byte[IMAGES * shape.length()];
        new SplittableRandom(0).nextBytes(noise);
        List<Image> images = IntStream.range(0, IMAGES)
                .mapToObj(i -> Image.wrap(shape, noise, i * shape.length()))
                .toList();
        try (Network own = NetworkDescription.open(run, Devices.cpu());
                OnnxNetwork exported = OnnxNetwork.of(made, made.options(null))) {
            double apart = difference(
                    own.forward(images).logits(), exported.forward(images).logits());
            if (!(apart <= CLOSE)) {
                throw new IllegalStateException("the ONNX file's logits must be within " + CLOSE
                        + " of the network's but are " + apart + " apart");
            }
            return apart;
        }
    }

    private static double difference(Matrix own, Matrix exported) {
        double largest = 1;
        double apart = 0;
        for (int i = 0; i < own.rows(); i++) {
            for (int k = 0; k < own.columns(); k++) {
                largest = Math.max(largest, Math.abs(own.get(i, k)));
                apart = Math.max(apart, Math.abs(own.get(i, k) - exported.get(i, k)));
            }
        }
        return apart / largest;
    }

    private void print(@Nullable Judge judge, double apart) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        out.printf("file        %s, %,d bytes%n", file, Files.size(file));
        out.printf("outputs     logits, probabilities, features%s%n", judge == null ? "" : ", score, ood");
        out.printf(
                "scorer      %s%n",
                judge == null
                        ? "none; wood calibrate makes a detector"
                        : judge.scorer().id());
        out.printf("difference  %.1e from libtorch on %d random images%n", apart, IMAGES);
    }
}
