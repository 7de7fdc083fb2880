package ai.wood.server;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Settings of a server.
 *
 * @param host address to listen on; loopback unless asked otherwise
 * @param port 0 for any that is free
 * @param token what requests must carry, where they must
 * @param batch how images are gathered for the network
 * @param limits what a request may ask for
 * @param falseAlarms the chance that the drift alarm ever fires in a world that does not change
 */
public record ServerOptions(
        String host, int port, Optional<Token> token, Batching batch, Limits limits, double falseAlarms) {

    public static final ServerOptions DEFAULTS =
            new ServerOptions("127.0.0.1", 8080, Optional.empty(), Batching.DEFAULTS, Limits.DEFAULTS, 0.01);

    /**
     * How images of several requests become batches.
     *
     * @param images in a batch at most, and in a request
     * @param patience how long the first of a batch waits for others at most
     * @param queue images accepted and not yet judged at most; more are refused
     * @param deadline how long a request waits for its verdicts at most
     */
    public record Batching(int images, Duration patience, int queue, Duration deadline) {

        public static final Batching DEFAULTS = new Batching(80, Duration.ofMillis(2), 640, Duration.ofSeconds(10));

        public Batching {
            if (images < 1 || queue < images) {
                throw new IllegalArgumentException("a batch must have an image or more and fit the queue but is of "
                        + images + " and the queue of " + queue);
            }
            if (patience.isNegative() || deadline.compareTo(patience) <= 0) {
                throw new IllegalArgumentException(
                        "a deadline must come after the wait for others, which takes no time or some, but they are "
                                + deadline.toMillis() + " ms and " + patience.toMillis() + " ms");
            }
        }
    }

    /**
     * What is refused before it costs memory or time.
     *
     * @param bodyBytes of a request
     * @param pixels of an image, by its header
     * @param bodyTime how long a request may take to arrive
     * @param idleTime how long a connection may be silent
     * @param allBodies bytes of all requests at once
     */
    public record Limits(int bodyBytes, long pixels, Duration bodyTime, Duration idleTime, long allBodies) {

        public static final Limits DEFAULTS = new Limits(
                16 << 20,
                1 << 24,
                Duration.ofSeconds(10),
                Duration.ofSeconds(20),
                Math.max(64L << 20, Runtime.getRuntime().maxMemory() / 8));

        public Limits {
            if (bodyBytes < 1 || pixels < 1 || allBodies < bodyBytes) {
                throw new IllegalArgumentException("limits must be positive, and that of all bodies not below that of"
                        + " one, but are " + bodyBytes + " bytes, " + pixels + " pixels, " + allBodies + " bytes");
            }
        }

        public Limits withTimes(Duration bodyTime, Duration idleTime) {
            return new Limits(bodyBytes, pixels, bodyTime, idleTime, allBodies);
        }

        public Limits withBodyBytes(int bodyBytes) {
            return new Limits(bodyBytes, pixels, bodyTime, idleTime, Math.max(allBodies, bodyBytes));
        }

        public Limits withPixels(long pixels) {
            return new Limits(bodyBytes, pixels, bodyTime, idleTime, allBodies);
        }
    }

    public ServerOptions {
        if (port < 0 || port > 65535) {
            throw new IllegalArgumentException("a port must lie in 0 to 65535 but is " + port);
        }
        if (!(falseAlarms > 0 && falseAlarms < 1)) {
            throw new IllegalArgumentException(
                    "the chance of a false alarm must lie strictly between 0 and 1 but is " + falseAlarms);
        }
    }

    public ServerOptions withAddress(String host, int port) {
        return new ServerOptions(host, port, token, batch, limits, falseAlarms);
    }

    /**
     * Requests must carry the secret in this file.
     *
     * @throws IOException if the file holds no valid token
     */
    public ServerOptions withTokenFile(Path file) throws IOException {
        return withToken(Token.read(file));
    }

    ServerOptions withToken(Token token) {
        return new ServerOptions(host, port, Optional.of(token), batch, limits, falseAlarms);
    }

    public ServerOptions withBatch(Batching batch) {
        return new ServerOptions(host, port, token, batch, limits, falseAlarms);
    }

    public ServerOptions withLimits(Limits limits) {
        return new ServerOptions(host, port, token, batch, limits, falseAlarms);
    }

    public ServerOptions withFalseAlarms(double falseAlarms) {
        return new ServerOptions(host, port, token, batch, limits, falseAlarms);
    }
}
