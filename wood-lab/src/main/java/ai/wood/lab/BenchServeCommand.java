package ai.wood.lab;

import ai.wood.Classifier;
import ai.wood.ClassifierReference;
import ai.wood.Detector;
import ai.wood.SampleDetector;
import ai.wood.Seed;
import ai.wood.cli.EngineChoice;
import ai.wood.cli.OptionRules;
import ai.wood.data.Image;
import ai.wood.data.Noise;
import ai.wood.data.transform.Normalise;
import ai.wood.lab.Load.Outcome;
import ai.wood.score.ScorerKinds;
import ai.wood.server.DetectorServer;
import ai.wood.server.NamedDetector;
import ai.wood.server.ServerOptions;
import ai.wood.server.ServerOptions.Batching;
import ai.wood.torch.train.Throughput;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** How a server fares under load and attack, against the bare network in the same run. */
@Command(
        name = "serve",
        description = {
            "Images a second through a server on this machine, against the bare network; latencies; memory; attacks.",
            "",
            "Server, network and clients share the processors. Requests carry one 8-bit 3 x 32 x 32 image each, as raw"
                    + " tensors of the Open Inference Protocol."
        },
        footer = {"", "Example:", "  wood bench serve --network small-cnn --requests 100000"})
final class BenchServeCommand implements Callable<Integer> {

    private static final String NAME = "bench";
    private static final Duration PATIENT = Duration.ofMinutes(2);

    @Spec
    private CommandSpec spec;

    @Mixin
    private BenchCommand.Subject subject;

    @Option(
            names = "--engine",
            paramLabel = "E",
            defaultValue = "torch",
            description = "torch, or onnx (on the CPU). Default: ${DEFAULT-VALUE}.")
    private EngineChoice engine;

    @Option(
            names = "--requests",
            paramLabel = "N",
            defaultValue = "2000",
            description = "Requests at saturation. Default: ${DEFAULT-VALUE}.")
    private int requests;

    @Option(
            names = "--single",
            paramLabel = "N",
            defaultValue = "100",
            description = "Requests one after another; ten times as many at half load. Default: ${DEFAULT-VALUE}.")
    private int single;

    @Option(
            names = "--attacks",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Malformed and hostile requests. Default: ${DEFAULT-VALUE}.")
    private int attacks;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (engine == EngineChoice.AUTO) {
            throw new IllegalArgumentException(
                    "--engine must be torch or onnx but is auto. Maybe `wood bench infer --engine auto` tells.");
        }
        subject.check(spec, engine);
        new OptionRules(spec).positive("--requests", "--single", "--attacks");
        Batching usual = Batching.DEFAULTS;
        ServerOptions options = ServerOptions.DEFAULTS
                .withAddress("127.0.0.1", 0)
                .withBatch(new Batching(usual.images(), usual.patience(), usual.queue(), PATIENT))
                .withFalseAlarms(1e-6); // the same images again and again are drift
        PrintWriter out = spec.commandLine().getOut();
        Classifier<Image> network = engine == EngineChoice.ONNX ? subject.onnx() : subject.torch();
        try (NamedDetector served = served(network);
                DetectorServer server = DetectorServer.start(List.of(served), options)) {
            double bare = Throughput.infer(List.of(network), BenchCommand.SHAPE, 100, subject.rounds())
                    .get(0);
            out.printf("bare network      %8.1f images/s%n", bare);
            out.flush();
            measure(server.port(), bare, options.batch().images(), out);
            boolean healthy = attack(server.port(), out);
            return healthy ? 0 : 1;
        }
    }

    private static NamedDetector served(Classifier<Image> network) {
        ClassifierReference reference = new ClassifierReference(
                "torch", BenchCommand.SHAPE.toString(), Normalise.HALF.mean(), Normalise.HALF.deviation());
        Detector detector = Detector.of(ScorerKinds.wood())
                .classes(BenchCommand.classes())
                .classifier(reference)
                .calibrate(network.classify(images(200)));
        return NamedDetector.of(NAME, new SampleDetector<>(detector, network));
    }

    private static List<Image> images(int count) {
        SplittableRandom random = new Seed(0).random();
        return IntStream.range(0, count)
                .mapToObj(i -> Noise.UNIFORM_NOISE.image(BenchCommand.SHAPE, random))
                .toList();
    }

    private void measure(int port, double bare, int batch, PrintWriter out) {
        Load load = new Load(requests(port));
        load.atOnce(batch, Math.min(requests, 5 * batch)); // warms up
        Outcome alone = load.atOnce(1, single);
        out.printf(
                "one by one        %8.2f ms median, %.2f ms p99%n",
                1e3 * alone.latency(0.5), 1e3 * alone.latency(0.99));
        out.flush();
        long before = heap();
        Outcome full = load.atOnce(3 * batch, requests); // one batch under way, others wait
        out.printf(
                "saturated         %8.1f images/s, %.0f%% of the bare network; %d errors in %d%n",
                full.rate(), 100 * full.rate() / bare, full.errors(), requests);
        out.printf(
                "heap in use       %8d MB before, %d MB after; resident %s%n", before >> 20, heap() >> 20, resident());
        out.flush();
        Outcome half = load.atRate(full.rate() / 2, 10 * single);
        out.printf(
                "half of that      %8.2f ms median, %.2f ms p99, %.1f times the latency of one alone; %d errors in %d%n",
                1e3 * half.latency(0.5),
                1e3 * half.latency(0.99),
                half.latency(0.99) / alone.latency(0.5),
                half.errors(),
                10 * single);
        out.flush();
    }

    private static IntFunction<HttpRequest> requests(int port) {
        URI address = URI.create("http://127.0.0.1:" + port + "/v2/models/" + NAME + "/infer");
        String json = "{\"inputs\":[{\"name\":\"image\",\"datatype\":\"UINT8\",\"shape\":[1,3,32,32],"
                + "\"parameters\":{\"binary_data_size\":" + BenchCommand.SHAPE.length() + "}}]}";
        byte[] header = json.getBytes(StandardCharsets.US_ASCII);
        List<HttpRequest> all = images(100).stream()
                .map(image -> ByteBuffer.allocate(header.length + BenchCommand.SHAPE.length())
                        .put(header)
                        .put(image.toArray())
                        .array())
                .map(body -> HttpRequest.newBuilder(address)
                        .header("Content-Type", "application/octet-stream")
                        .header("Inference-Header-Content-Length", String.valueOf(header.length))
                        .POST(BodyPublishers.ofByteArray(body))
                        .build())
                .toList();
        return i -> all.get(i % all.size());
    }

    private boolean attack(int port, PrintWriter out) throws InterruptedException {
        ExecutorService attackers = Executors.newFixedThreadPool(32);
        List<Callable<String>> all = Attack.drill(NAME, attacks, new Seed(1)).stream()
                .map(one -> (Callable<String>) () -> one.on(port))
                .toList();
        List<String> wrong = attackers.invokeAll(all).stream()
                .map(BenchServeCommand::answer)
                .filter(answer -> !answer.isEmpty())
                .toList();
        attackers.shutdown();
        Outcome after = new Load(requests(port)).atOnce(8, 100);
        out.printf("attacks           %8d, %d answered otherwise than expected%n", attacks, wrong.size());
        wrong.stream().limit(20).forEach(answer -> out.println("  " + answer));
        out.printf(
                "after the attacks %8d errors in 100; heap in use %d MB, resident %s%n",
                after.errors(), heap() >> 20, resident());
        return wrong.isEmpty() && after.errors() == 0;
    }

    private static String answer(Future<String> attack) {
        try {
            return attack.get();
        } catch (ExecutionException e) {
            return String.valueOf(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    private static long heap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static String resident() {
        try (var lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.filter(line -> line.startsWith("VmRSS:"))
                    .map(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024 + " MB")
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException e) {
            return "unknown";
        }
    }
}
