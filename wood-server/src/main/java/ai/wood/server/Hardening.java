package ai.wood.server;

import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;

/** What makes the HTTP server hard to abuse and silent about itself. */
final class Hardening {

    private static final int CONNECTIONS = 1024;
    /** A client that does not read its answer keeps the thread that writes it; so many must be left for all others. */
    private static final int THREADS = CONNECTIONS + 32;

    private static final int HEADER_BYTES = 1 << 13;

    private static final Map<String, String> HEADERS = Map.of(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self';"
                    + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options",
            "nosniff",
            "X-Frame-Options",
            "DENY",
            "Referrer-Policy",
            "no-referrer",
            "Cross-Origin-Opener-Policy",
            "same-origin",
            "Cross-Origin-Resource-Policy",
            "same-origin",
            "Cache-Control",
            "no-store");

    private Hardening() {}

    static void apply(JavalinConfig config, Duration idle) {
        config.jetty.threadPool = new QueuedThreadPool(THREADS);
        config.jetty.modifyHttpConfiguration(http -> {
            http.setSendServerVersion(false);
            http.setSendDateHeader(false);
            http.setRequestHeaderSize(HEADER_BYTES);
            // else a value that differs from one before only in the case of its letters becomes that one
            http.setHeaderCacheCaseSensitive(true);
        });
        config.jetty.modifyServer(server -> {
            server.setErrorHandler(new QuietErrors());
            server.addBean(new NetworkConnectionLimit(CONNECTIONS, server));
            server.addEventListener(new LifeCycle.Listener() {
                @Override
                public void lifeCycleStarting(LifeCycle event) {
                    for (var connector : server.getConnectors()) {
                        ((ServerConnector) connector).setIdleTimeout(idle.toMillis());
                        // Java's own 50 would make some of many clients that come at once wait for seconds
                        ((ServerConnector) connector).setAcceptQueueSize(CONNECTIONS);
                    }
                }
            });
        });
    }

    static void addHeaders(Context ctx) {
        HEADERS.forEach(ctx::header);
    }

    /** Problems that Jetty finds before a request gets to a route. */
    private static final class QuietErrors extends ErrorHandler {

        @Override
        protected void generateResponse(
                Request request,
                Response response,
                int status,
                String message,
                @Nullable Throwable cause,
                Callback callback)
                throws IOException {
            HEADERS.forEach(response.getHeaders()::put);
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, Problem.CONTENT_TYPE);
            response.write(true, ByteBuffer.wrap(body(status)), callback);
        }

        private static byte[] body(int status) {
            return HttpJson.bytes(
                    Problem.of(status, "the request could not be understood").json());
        }
    }
}
