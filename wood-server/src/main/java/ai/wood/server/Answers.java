package ai.wood.server;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.javalin.http.HttpResponseException;
import io.javalin.http.MethodNotAllowedResponse;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What clients get: JSON, or why there is none. */
final class Answers {

    private static final Logger LOG = LoggerFactory.getLogger(Answers.class);

    private Answers() {}

    static void send(Context ctx, Object json) {
        ctx.contentType(Json.CONTENT_TYPE).result(Json.bytes(json));
    }

    /** Tells a client what is wrong, and the log what it does not tell the client. */
    static void refuse(Context ctx, Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        Problem problem = problem(cause);
        if (problem.status() == 500) {
            LOG.error("a request failed", cause);
        }
        problem.retryAfter().ifPresent(seconds -> ctx.header("Retry-After", String.valueOf(seconds)));
        if (cause instanceof MethodNotAllowedResponse other) {
            ctx.header("Allow", other.getDetails().getOrDefault("availableMethods", ""));
        }
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
}
