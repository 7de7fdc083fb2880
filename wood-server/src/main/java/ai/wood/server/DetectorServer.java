package ai.wood.server;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.javalin.http.HandlerType;
import io.javalin.http.HttpResponseException;
import io.javalin.util.JavalinLogger;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.HostPort;

/**
 * Detectors behind HTTP. Requests are read without a thread waiting for them, decoded on as many threads as there are
 * processors, and judged in batches.
 *
 * <p>Closing it finishes what was accepted; the detectors stay open for their owner to close.
 */
public final class DetectorServer implements AutoCloseable {

    private static final String ROUTE = "route";

    /** What a request may ask for. Those that are open need no token. */
    private record Route(HandlerType method, String path, boolean open, Handler handler) {}

    private final ServerOptions options;
    private final Judges judges;
    private final JudgeRoutes judging;
    private final PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final List<Route> routes;
    private final GracefulHandler requests = new GracefulHandler(); // knows when all are answered
    private final Javalin javalin;
    private volatile boolean stopping;

    private DetectorServer(List<NamedDetector> detectors, TryPage page, ServerOptions options) {
        this.options = options;
        new JvmMemoryMetrics().bindTo(meters);
        new ProcessorMetrics().bindTo(meters);
        this.judges = new Judges(detectors, options, meters);
        this.judging = new JudgeRoutes(judges, options);
        this.routes = routes(page);
        this.javalin = Javalin.create(this::configure);
    }

    /**
     * Starts to serve.
     *
     * @throws IOException where the address is taken or unknown
     * @throws IllegalArgumentException where two detectors have one name
     */
    public static DetectorServer start(List<NamedDetector> detectors, ServerOptions options) throws IOException {
        if (new InetSocketAddress(options.host(), options.port()).isUnresolved()) {
            throw new IOException(options.host()
                    + ": must be a name or an address of this machine but nobody knows it. Maybe 127.0.0.1, or 0.0.0.0 for"
                    + " all it has.");
        }
        DetectorServer server = new DetectorServer(detectors, new TryPage(detectors), options);
        try {
            startQuietly(server.javalin, options);
            return server;
        } catch (RuntimeException e) {
            server.close();
            throw new IOException(
                    server.place(options.port())
                            + ": cannot be listened on. Maybe another server uses it: choose another --port.",
                    e);
        }
    }

    /** Javalin would log a failure that is told of by an exception. */
    private static void startQuietly(Javalin javalin, ServerOptions options) {
        JavalinLogger.enabled = false;
        try {
            javalin.start(options.host(), options.port());
        } finally {
            JavalinLogger.enabled = true;
        }
    }

    /** The port it listens on. */
    public int port() {
        return javalin.port();
    }

    /** Where the page is, such as {@code http://127.0.0.1:8080/}. */
    public String address() {
        return "http://" + place(port()) + "/";
    }

    /** Host and port; an IPv6 address stands in brackets. */
    private String place(int port) {
        return HostPort.normalizeHost(options.host()) + ":" + port;
    }

    private List<Route> routes(TryPage page) {
        return List.of(
                get("/", true, page.html()),
                get("/page/{file}", true, page::file),
                get("/openapi.json", true, page.openApi()),
                get("/v2", false, this::serverMetadata),
                get(
                        "/v2/health/live",
                        true,
                        ctx -> HttpJson.send(ctx, HttpJson.object().put("live", true))),
                get("/v2/health/ready", true, this::ready),
                get("/v2/models/{name}", false, judging::metadata),
                get("/v2/models/{name}/ready", false, this::modelReady),
                post("/v2/models/{name}/infer", judging::infer),
                get("/v1/detectors", false, page.detectors()),
                get("/v1/detectors/{name}/scores", false, this::sketch),
                get("/v1/samples/{index}", false, page::sample),
                post("/v1/judge", judging::judge),
                post("/v1/detect", judging::detect),
                post("/v1/judge-logits", judging::detect), // what 0.1 called it
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
        config.jetty.modifyServer(server -> server.insertHandler(requests));
        config.requestLogger.http((ctx, milliseconds) -> Timer.builder("wood.http")
                .description("time from the first byte of a request to the last of its answer")
                .tag("route", Objects.requireNonNullElse(ctx.attribute(ROUTE), "none"))
                .tag("status", String.valueOf(ctx.statusCode()))
                .publishPercentiles(0.5, 0.95, 0.99)
                .register(meters)
                .record(Duration.ofNanos((long) (1e6 * milliseconds))));
        config.routes.before(Hardening::addHeaders);
        for (Route route : routes) {
            Handler handler = ctx -> {
                ctx.attribute(ROUTE, route.path());
                admit(ctx, route);
                route.handler().handle(ctx);
            };
            config.routes.addHttpHandler(route.method(), route.path(), handler);
            if (route.method().equals(HandlerType.GET)) { // Javalin would answer 200 unasked; Jetty leaves the body out
                config.routes.addHttpHandler(HandlerType.HEAD, route.path(), handler);
            }
        }
        config.routes.exception(HttpResponseException.class, (failure, ctx) -> Problem.send(ctx, failure));
        config.routes.exception(Exception.class, (failure, ctx) -> Problem.send(ctx, failure));
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
            if (fromOtherSite(ctx)) {
                throw Problem.of(403, "pages of other sites may not use this server");
            }
            if (stopping) {
                throw Problem.stopping();
            }
        }
    }

    /**
     * Whether a page of another site asks. A browser says so to a host that it trusts, with TLS or on its own machine; to
     * others it names only the site of the page, to be compared with what it takes this server for.
     */
    private static boolean fromOtherSite(Context ctx) {
        String site = ctx.header("Sec-Fetch-Site");
        if (site != null) {
            return !site.equals("same-origin") && !site.equals("none");
        }
        String origin = ctx.header("Origin");
        String host = ctx.header("Host");
        return origin != null
                && !origin.equalsIgnoreCase("http://" + host)
                && !origin.equalsIgnoreCase("https://" + host);
    }

    private void serverMetadata(Context ctx) {
        String version = DetectorServer.class.getPackage().getImplementationVersion();
        ObjectNode json = HttpJson.object()
                .put("name", "wood")
                .put("version", Objects.requireNonNullElse(version, "development")); // outside a jar
        json.putArray("extensions");
        HttpJson.send(ctx, json);
    }

    private void ready(Context ctx) {
        if (stopping) {
            throw Problem.stopping();
        }
        HttpJson.send(ctx, HttpJson.object().put("ready", true));
    }

    private void modelReady(Context ctx) {
        String name = judges.named(ctx).served().name();
        if (stopping) {
            throw Problem.stopping();
        }
        HttpJson.send(ctx, HttpJson.object().put("name", name).put("ready", true));
    }

    private void drift(Context ctx) {
        ArrayNode all = HttpJson.array();
        judges.all().forEach(judge -> all.add(judge.monitor().json()));
        HttpJson.send(ctx, HttpJson.object().set("detectors", all));
    }

    private void restartDrift(Context ctx) {
        Judge judge = judges.chosen(ctx);
        judge.monitor().restart();
        HttpJson.send(ctx, judge.monitor().json());
    }

    private void sketch(Context ctx) {
        ctx.contentType("application/octet-stream")
                .result(judges.named(ctx).monitor().recent().scores().toByteArray());
    }

    private void metrics(Context ctx) {
        ctx.contentType("text/plain; version=0.0.4; charset=utf-8").result(meters.scrape());
    }

    /** Jetty cuts answers that are on their way when it stops. A client that does not read its own is not waited for long. */
    private void awaitAnswers() {
        long most = options.batch().deadline().toMillis();
        requests.shutdown().completeOnTimeout(null, most, TimeUnit.MILLISECONDS).join();
    }

    /** Takes no more, answers what was accepted, and stops. */
    @Override
    public void close() {
        stopping = true;
        judges.close();
        judging.close();
        awaitAnswers();
        javalin.stop();
        meters.close();
    }
}
