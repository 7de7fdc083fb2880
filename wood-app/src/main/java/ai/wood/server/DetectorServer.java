package ai.wood.server;

import ai.wood.Image;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.javalin.http.HandlerType;
import io.javalin.http.HttpResponseException;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detectors behind HTTP. Requests are read without a thread waiting for them, decoded on as many threads as there are
 * processors, and judged in batches.
 *
 * <p>Closing it finishes what was accepted; the detectors stay open for their owner to close.
 */
public final class DetectorServer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DetectorServer.class);
    private static final String ROUTE = "route";

    /** What a request may ask for. Those that are open need no token. */
    private record Route(HandlerType method, String path, boolean open, Handler handler) {}

    private final ServerOptions options;
    private final Map<String, Judge> judges = new LinkedHashMap<>();
    private final PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final ExecutorService workers;
    private final Bodies bodies;
    private final Intake intake;
    private final List<Route> routes;
    private final Javalin javalin;
    private volatile boolean stopping;

    private DetectorServer(List<ServedDetector> detectors, ServerOptions options) throws IOException {
        this.options = options;
        this.bodies = new Bodies(options.limits());
        this.intake = new Intake(options.limits());
        int processors = Runtime.getRuntime().availableProcessors();
        this.workers = Executors.newFixedThreadPool(processors, task -> new Thread(task, "wood-request"));
        new JvmMemoryMetrics().bindTo(meters);
        new ProcessorMetrics().bindTo(meters);
        for (ServedDetector served : detectors) {
            if (judges.put(served.name(), new Judge(served, options, meters, InstantSource.system())) != null) {
                throw new IllegalArgumentException(
                        "detectors must have different names but two are called " + served.name());
            }
        }
        this.routes = routes(new TryPage(judges.values()));
        this.javalin = Javalin.create(this::configure);
    }

    /**
     * Starts to serve.
     *
     * @throws IOException where the address is taken or unknown
     */
    public static DetectorServer start(List<ServedDetector> detectors, ServerOptions options) throws IOException {
        DetectorServer server = new DetectorServer(detectors, options);
        try {
            server.javalin.start(options.host(), options.port());
            return server;
        } catch (RuntimeException e) {
            server.close();
            throw new IOException(
                    options.host() + ":" + options.port()
                            + ": cannot be listened on. Maybe another server uses it: choose" + " another --port.",
                    e);
        }
    }

    /** The port it listens on. */
    public int port() {
        return javalin.port();
    }

    private List<Route> routes(TryPage page) {
        return List.of(
                get("/", true, page.html()),
                get("/page/{file}", true, page::file),
                get("/openapi.json", true, page.openApi()),
                get("/v2", false, this::serverMetadata),
                get("/v2/health/live", true, ctx -> send(ctx, Json.object().put("live", true))),
                get("/v2/health/ready", true, this::ready),
                get(
                        "/v2/models/{name}",
                        false,
                        ctx -> send(ctx, protocol(named(ctx)).metadata())),
                get("/v2/models/{name}/ready", false, this::modelReady),
                post("/v2/models/{name}/infer", this::infer),
                get("/v1/detectors", false, page.detectors()),
                get("/v1/detectors/{name}/scores", false, this::sketch),
                get("/v1/samples/{index}", false, page::sample),
                post("/v1/judge", this::judge),
                post("/v1/judge-logits", this::judgeLogits),
                get("/v1/drift", false, this::drift),
                post("/v1/drift/restart", this::restartDrift),
                get("/metrics", false, this::metrics));
    }

    private static Route get(String path, boolean open, Handler handler) {
        return new Route(HandlerType.GET, path, open, handler);
    }

    private static Route post(String path, Handler handler) {
        return new Route(HandlerType.POST, path, false, handler);
    }

    /** Methods and paths of all routes, such as {@code GET /v1/drift}. */
    List<String> paths() {
        return routes.stream().map(route -> route.method() + " " + route.path()).toList();
    }

    private void configure(JavalinConfig config) {
        config.startup.showJavalinBanner = false;
        config.startup.showOldJavalinVersionWarning = false;
        config.http.prefer405over404 = true;
        config.http.asyncTimeout = 0; // bodies and batches have deadlines of their own
        Hardening.apply(config, options.limits().idleTime());
        config.requestLogger.http((ctx, milliseconds) -> Timer.builder("wood.http")
                .description("time from the first byte of a request to the last of its answer")
                .tag("route", Objects.requireNonNullElse(ctx.attribute(ROUTE), "none"))
                .tag("status", String.valueOf(ctx.statusCode()))
                .publishPercentiles(0.5, 0.95, 0.99)
                .register(meters)
                .record(Duration.ofNanos((long) (1e6 * milliseconds))));
        config.routes.before(Hardening::addHeaders);
        routes.forEach(route -> config.routes.addHttpHandler(route.method(), route.path(), ctx -> {
            ctx.attribute(ROUTE, route.path());
            admit(ctx, route);
            route.handler().handle(ctx);
        }));
        config.routes.exception(HttpResponseException.class, (failure, ctx) -> refuse(ctx, failure));
        config.routes.exception(Exception.class, (failure, ctx) -> refuse(ctx, failure));
    }

    private void admit(Context ctx, Route route) {
        boolean allowed = route.open()
                || options.token()
                        .map(token -> token.opens(ctx.header("Authorization")))
                        .orElse(true);
        if (!allowed) {
            ctx.header("WWW-Authenticate", "Bearer");
            throw Problem.of(401, "a bearer token is needed");
        }
        if (route.method().equals(HandlerType.POST)) {
            if ("cross-site".equals(ctx.header("Sec-Fetch-Site"))) {
                throw Problem.of(403, "pages of other sites may not use this server");
            }
            if (stopping) {
                throw Problem.stopping();
            }
        }
    }

    private static void send(Context ctx, Object json) {
        ctx.contentType(Json.CONTENT_TYPE).result(Json.bytes(json));
    }

    /** Tells a client what is wrong, and the log what it does not tell the client. */
    private static void refuse(Context ctx, Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        Problem problem = problem(cause);
        if (problem.status() >= 500 && !(cause instanceof Problem)) {
            LOG.error("a request failed", cause);
        }
        problem.retryAfter().ifPresent(seconds -> ctx.header("Retry-After", String.valueOf(seconds)));
        if (problem.status() == 408 || problem.status() == 413) {
            ctx.header("Connection", "close"); // what is left of the body is not read
        }
        ObjectNode json = problem.json();
        if (ctx.path().startsWith("/v2")) {
            json.put("error", problem.getMessage()); // where the inference protocol looks
        }
        ctx.status(problem.status()).contentType(Problem.CONTENT_TYPE).result(Json.bytes(json));
    }

    private static Problem problem(Throwable cause) {
        if (cause instanceof Problem problem) {
            return problem;
        }
        if (cause instanceof HttpResponseException http) {
            return Problem.of(
                    http.getStatus(), http.getStatus() == 404 ? "there is nothing here" : "this is not possible here");
        }
        if (cause instanceof TimeoutException) {
            return Problem.late();
        }
        return cause instanceof RejectedExecutionException
                ? Problem.stopping()
                : Problem.of(500, "the server failed; its log tells more");
    }

    /** Reads the body, works on it without holding up other requests, and sends the outcome. */
    private void answer(Context ctx, Function<byte[], CompletableFuture<Supplier<ObjectNode>>> work) {
        bodies.check(ctx);
        ctx.future(() -> bodies.read(ctx, workers, work)
                .thenApplyAsync(Supplier::get, workers)
                .handle((json, failure) -> {
                    if (failure != null) {
                        refuse(ctx, failure);
                    } else {
                        send(ctx, json);
                    }
                    return json;
                }));
    }

    private Judge judgeFor(@Nullable String name) {
        if (name == null && judges.size() == 1) {
            return judges.values().iterator().next();
        }
        Judge judge = name == null ? null : judges.get(name);
        if (judge == null) {
            throw Problem.of(404, "there is no such detector; there are " + judges.keySet());
        }
        return judge;
    }

    private Judge named(Context ctx) {
        return judgeFor(ctx.pathParam("name"));
    }

    private InferenceProtocol protocol(Judge judge) {
        return new InferenceProtocol(judge, options.batch().images());
    }

    private static void requireJson(Context ctx) {
        if (!Intake.mediaType(ctx.contentType()).equals(Json.CONTENT_TYPE)) {
            throw Problem.unsupported("the Content-Type must be " + Json.CONTENT_TYPE);
        }
    }

    private void judge(Context ctx) {
        Judge judge = judgeFor(ctx.queryParam("detector"));
        judge.shape();
        String type = ctx.contentType();
        Intake.check(type);
        answer(ctx, body -> {
            Image image = judge.fitted(intake.image(type, body));
            return judge.judge(List.of(image)).thenApply(judged -> () -> judge.json(judged.get(0)));
        });
    }

    private void judgeLogits(Context ctx) {
        Judge judge = judgeFor(ctx.queryParam("detector"));
        requireJson(ctx);
        answer(ctx, body -> {
            int classes = judge.served().classes().size();
            List<Judgement> judged = judge.judgeLogits(LogitRows.read(body, classes));
            return CompletableFuture.completedFuture(() -> {
                ArrayNode verdicts = Json.array();
                judged.forEach(each -> verdicts.add(judge.json(each)));
                return Json.object().<ObjectNode>set("verdicts", verdicts);
            });
        });
    }

    private void infer(Context ctx) {
        Judge judge = named(ctx);
        judge.shape();
        InferenceProtocol protocol = protocol(judge);
        String header = ctx.header("Inference-Header-Content-Length");
        if (header == null && ctx.contentType() != null) { // some clients of the protocol send no type
            requireJson(ctx);
        }
        answer(ctx, body -> {
            InferRequest request = protocol.read(body, header == null ? body.length : length(header));
            return judge.judge(request.images()).thenApply(judged -> () -> protocol.answer(request, judged));
        });
    }

    private static int length(String header) {
        try {
            return Integer.parseInt(header);
        } catch (NumberFormatException e) {
            throw Problem.badRequest("the length of the JSON header must be a number");
        }
    }

    private void serverMetadata(Context ctx) {
        ObjectNode json = Json.object().put("name", "wood").put("version", "2");
        json.putArray("extensions").add("binary_tensor_data");
        send(ctx, json);
    }

    private void ready(Context ctx) {
        if (stopping) {
            throw Problem.stopping();
        }
        send(ctx, Json.object().put("ready", true));
    }

    private void modelReady(Context ctx) {
        String name = named(ctx).served().name();
        if (stopping) {
            throw Problem.stopping();
        }
        send(ctx, Json.object().put("name", name).put("ready", true));
    }

    private void drift(Context ctx) {
        ArrayNode all = Json.array();
        judges.values().forEach(judge -> all.add(judge.monitor().json()));
        send(ctx, Json.object().set("detectors", all));
    }

    private void restartDrift(Context ctx) {
        Judge judge = judgeFor(ctx.queryParam("detector"));
        judge.monitor().restart();
        send(ctx, judge.monitor().json());
    }

    private void sketch(Context ctx) {
        ctx.contentType("application/octet-stream")
                .result(named(ctx).monitor().recent().scores().toByteArray());
    }

    private void metrics(Context ctx) {
        ctx.contentType("text/plain; version=0.0.4; charset=utf-8").result(meters.scrape());
    }

    /** Takes no more, answers what was accepted, and stops. */
    @Override
    public void close() {
        stopping = true;
        judges.values().forEach(Judge::close);
        workers.shutdown();
        try {
            workers.awaitTermination(options.batch().deadline().toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        javalin.stop();
        meters.close();
    }
}
