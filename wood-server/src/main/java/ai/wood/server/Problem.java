package ai.wood.server;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import org.eclipse.jetty.http.HttpStatus;

/**
 * Why a request gets no answer, as RFC 9457 has it: a status and a detail for people. Says nothing of the server itself.
 */
final class Problem extends RuntimeException {

    static final String CONTENT_TYPE = "application/problem+json";

    private static final long serialVersionUID = 1;

    private final int status;
    private final int retryAfter;

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

    static Problem late() {
        return of(504, "the verdict was not ready before the deadline");
    }

    /** The server is healthy but has enough to do, for a reason that passes. */
    static Problem busy(String reason, int seconds) {
        return new Problem(429, reason + "; try again in " + seconds + " s", seconds);
    }

    /** The server finishes what it has accepted and takes no more. */
    static Problem stopping() {
        return new Problem(503, "the server is stopping", 1);
    }

    int status() {
        return status;
    }

    /** Seconds after which it is worth trying again. */
    Optional<Integer> retryAfter() {
        return retryAfter > 0 ? Optional.of(retryAfter) : Optional.empty();
    }

    ObjectNode json() {
        return Json.object()
                .put("type", "about:blank")
                .put("title", HttpStatus.getMessage(status))
                .put("status", status)
                .put("detail", getMessage());
    }
}
