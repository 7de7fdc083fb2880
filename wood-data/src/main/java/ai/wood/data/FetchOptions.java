package ai.wood.data;

import java.net.URI;
import java.time.Duration;
import java.util.List;

/**
 * How files are fetched.
 *
 * @param mirrors asked before the canonical source, in this order; below each, a file lies in the folder of its dataset
 * @param attempts at each address; each goes on where the one before was cut off
 * @param pause before a further attempt
 * @param timeout for a connection, for an answer to begin, and for its next piece to come
 */
public record FetchOptions(List<URI> mirrors, int attempts, Duration pause, Duration timeout) {

    /** Canonical sources only, four attempts. */
    public static final FetchOptions DEFAULTS =
            new FetchOptions(List.of(), 4, Duration.ofSeconds(2), Duration.ofSeconds(30));

    public FetchOptions {
        mirrors = List.copyOf(mirrors);
        for (URI mirror : mirrors) {
            if (mirror.getHost() == null || !List.of("http", "https").contains(String.valueOf(mirror.getScheme()))) {
                throw new IllegalArgumentException(
                        "a mirror must be an address such as https://host/folder but is " + mirror);
            }
        }
        if (attempts < 1) {
            throw new IllegalArgumentException("at least 1 attempt is needed but there are to be " + attempts);
        }
        if (pause.isNegative() || timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("times must be positive but are " + pause + " and " + timeout);
        }
    }

    public FetchOptions withMirrors(List<URI> mirrors) {
        return new FetchOptions(mirrors, attempts, pause, timeout);
    }

    public FetchOptions withTimeout(Duration timeout) {
        return new FetchOptions(mirrors, attempts, pause, timeout);
    }

    public FetchOptions withPause(Duration pause) {
        return new FetchOptions(mirrors, attempts, pause, timeout);
    }
}
