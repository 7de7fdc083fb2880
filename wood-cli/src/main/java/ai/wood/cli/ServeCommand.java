package ai.wood.cli;

import ai.wood.server.DetectorServer;
import ai.wood.server.NamedDetector;
import ai.wood.server.ServerOptions;
import ai.wood.server.ServerOptions.Batching;
import ai.wood.server.ServerOptions.Limits;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** Detectors behind HTTP. */
@Command(
        name = "serve",
        description = {
            "Serves detectors over HTTP, with metrics, a drift alarm and a page to try them.",
            "",
            "Open the address it prints in a browser; /openapi.json describes the requests. Ctrl-C finishes what was"
                    + " accepted and stops."
        },
        footer = {
            "",
            "Examples:",
            "  wood serve run",
            "  wood serve digits.wood clothes=run --port 9000",
            "  wood serve digits.wood --host 0.0.0.0 --token-file token.txt"
        })
final class ServeCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(
            arity = "1..*",
            paramLabel = "[NAME=]PATH",
            description = "Detectors: files made by wood bundle, or run folders. Default name: that of the file.")
    private List<String> paths;

    @Option(
            names = "--host",
            paramLabel = "H",
            description = "Address to listen on. Default: ${DEFAULT-VALUE}, this machine only.")
    private String host = ServerOptions.DEFAULTS.host();

    @Option(names = "--port", paramLabel = "P", description = "Default: ${DEFAULT-VALUE}; 0 for any that is free.")
    private int port = ServerOptions.DEFAULTS.port();

    @Option(
            names = "--token-file",
            paramLabel = "F",
            description = "Requests must carry the secret in this file: Authorization: Bearer SECRET.")
    private @Nullable Path tokenFile;

    @Option(
            names = "--max-batch",
            paramLabel = "N",
            description = "Images judged at once at most. Default: ${DEFAULT-VALUE}.")
    private int maxBatch = Batching.DEFAULTS.images();

    @Option(
            names = "--max-wait",
            paramLabel = "MS",
            description = "Milliseconds that an image waits for others at most. Default: ${DEFAULT-VALUE}.")
    private long maxWait = Batching.DEFAULTS.patience().toMillis();

    @Option(
            names = "--queue",
            paramLabel = "N",
            description =
                    "Images accepted and not yet judged at most; more are refused (429). Default: ${DEFAULT-VALUE}.")
    private int queue = Batching.DEFAULTS.queue();

    @Option(
            names = "--deadline",
            paramLabel = "MS",
            description = "Milliseconds after which a request gets no verdict (504). Default: ${DEFAULT-VALUE}.")
    private long deadline = Batching.DEFAULTS.deadline().toMillis();

    @Option(
            names = "--max-body",
            paramLabel = "MB",
            description = "Size of a request at most. Default: ${DEFAULT-VALUE}.")
    private int maxBody = Limits.DEFAULTS.bodyBytes() >> 20;

    @Option(
            names = "--max-pixels",
            paramLabel = "N",
            description = "Pixels of an image at most. Default: ${DEFAULT-VALUE}.")
    private long maxPixels = Limits.DEFAULTS.pixels();

    @Option(
            names = "--false-alarms",
            paramLabel = "A",
            description =
                    "Chance that the drift alarm ever fires in a world that does not change. Default: ${DEFAULT-VALUE}.")
    private double falseAlarms = ServerOptions.DEFAULTS.falseAlarms();

    @Mixin
    private DeviceName device;

    @Override
    public Integer call() throws IOException, InterruptedException {
        ServerOptions options = options();
        List<NamedDetector> detectors = new ArrayList<>();
        CountDownLatch closed = new CountDownLatch(1);
        try {
            for (String path : paths) {
                detectors.add(open(path));
            }
            boolean images = detectors.stream().anyMatch(each -> each.shape().isPresent());
            new OptionRules(spec)
                    .onlyFor(
                            "images",
                            images,
                            "without a network logits alone are judged",
                            "--device --max-batch --max-wait --queue --max-pixels");
            DetectorServer server = DetectorServer.start(detectors, options);
            Exit.before(
                    () -> { // while networks still judge what was admitted
                        server.close();
                        closed.countDown();
                    });
            announce(detectors, server.address());
            closed.await();
        } finally {
            detectors.forEach(NamedDetector::close);
        }
        return 0;
    }

    /** Tells people what is served, and programs where: the output is the address alone. */
    private void announce(List<NamedDetector> detectors, String address) {
        spec.commandLine().getErr().printf("wood: serving %s at %s%n", names(detectors), address);
        PrintWriter out = spec.commandLine().getOut();
        out.println(address);
        out.flush();
    }

    private ServerOptions options() throws IOException {
        if (maxBody < 1 || maxBody > 1024) {
            throw new IllegalArgumentException("--max-body must lie in 1 to 1024 but is " + maxBody);
        }
        Batching batch = new Batching(maxBatch, Duration.ofMillis(maxWait), queue, Duration.ofMillis(deadline));
        ServerOptions options = ServerOptions.DEFAULTS
                .withAddress(host, port)
                .withBatch(batch)
                .withLimits(Limits.DEFAULTS.withBodyBytes(maxBody << 20).withPixels(maxPixels))
                .withFalseAlarms(falseAlarms);
        return tokenFile == null ? options : options.withTokenFile(tokenFile);
    }

    private NamedDetector open(String argument) throws IOException {
        int equals = endOfName(argument);
        Path path = path(argument.substring(equals + 1));
        String file = String.valueOf(path.toAbsolutePath().normalize().getFileName());
        String name = equals > 0 ? argument.substring(0, equals) : file.replaceFirst("\\.wood$", "");
        return NamedDetector.load(name, path, device.name());
    }

    /** Where {@code NAME=PATH} has its equals sign; -1 where all of it is a path, which may hold one itself. */
    private static int endOfName(String argument) {
        int equals = argument.indexOf('=');
        boolean inFolder = argument.lastIndexOf('/', equals) >= 0;
        return equals < 0 || inFolder || Files.exists(Path.of(argument)) ? -1 : equals;
    }

    private Path path(String text) {
        try {
            return new PathConverter().convert(text);
        } catch (TypeConversionException e) {
            throw new ParameterException(spec.commandLine(), "[NAME=]PATH: " + e.getMessage(), e);
        }
    }

    private static String names(List<NamedDetector> detectors) {
        return String.join(", ", detectors.stream().map(NamedDetector::name).toList());
    }
}
