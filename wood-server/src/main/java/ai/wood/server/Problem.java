package ai.wood.server;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.javalin.http.HttpResponseException;
import io.javalin.http.MethodNotAllowedResponse;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The reason why a request fails, in the form of RFC 9457: a status and a detail for people. It reveals nothing of the server. */
final class Problem extends RuntimeException {

    static final String CONTENT_TYPE = "application/problem+json";

    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(Problem.class);

    private final int status;
    private final int retryAfter; // seconds; 0 for none

    private Problem(int status, String detail, int retryAfter) {
        super(detail, null, false, false);
        this.status = status;
        this.retryAfter = retryAfter;
    }

    static Problem of(int status, String detail) {
        return new Problem(status, detail, 0);
    }

    static Problem badRequest(String detail) {
        return of(400, detail);
    }

    static Problem tooLarge(String detail) {
        return of(413, detail);
    }

    static Problem unsupported(String detail) {
        return of(415, detail);
    }

    /** The server is healthy but overloaded for now. */
    static Problem busy(String reason, int seconds) {
        return new Problem(429, reason + "; try again in " + seconds + " s", seconds);
    }

    /** The server finishes the requests it has accepted and accepts no more. */
    static Problem stopping() {
        return new Problem(503, "the server is stopping", 1);
    }

    private static Problem of(Throwable cause) {
        if (cause instanceof Problem problem) {
            return problem;
        }
        if (cause instanceof HttpResponseException http) {
            return of(
                    http.getStatus(), http.getStatus() == 404 ? "there is nothing here" : "this is not possible here");
        }
        if (cause instanceof TimeoutException) {
            return of(504, "the verdict was not ready before the deadline");
        }
        return cause instanceof RejectedExecutionException
                ? stopping()
                : of(500, "the server failed; its log contains the cause");
    }

    /** Answers a request that failed. The log gets what the client does not. */
    static void send(Context ctx, Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        Problem problem = of(cause);
        if (problem.status == 500) {
            LOG.error("a request failed", cause);
        }
        if (problem.retryAfter > 0) {
            ctx.header("Retry-After", String.valueOf(problem.retryAfter));
        }
        if (cause instanceof MethodNotAllowedResponse other) {
            ctx.header("Allow", other.getDetails().getOrDefault("availableMethods", ""));
        }
        if (problem.status == 408 || problem.status == 413) {
            ctx.header("Connection", "close"); // the rest of the body is not read
        }
        ObjectNode json = problem.json();
        if (ctx.path().startsWith("/v2")) {
            json.put("error", problem.getMessage()); // required by the inference protocol
        }
        ctx.status(problem.status).contentType(CONTENT_TYPE).result(HttpJson.bytes(json));
    }

    ObjectNode json() {
        return HttpJson.object()
                .put("type", "about:blank")
                .put("title", HttpStatus.getMessage(status))
                .put("status", status)
                .put("detail", getMessage());
    }
}
