package ai.wood.server;

import ai.wood.server.ServerOptions.Limits;
import io.javalin.http.Context;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;

/**
 * Reads the bodies of requests without a thread waiting for them, so that slow clients cost nothing but a connection.
 * Bounded: the bytes of one and of all, answers that clients have not read yet among them, and the time that one takes.
 */
final class Bodies implements AutoCloseable {

    private static final int CHUNK = 1 << 14;

    private final Limits limits;
    private final Duration deadline;
    private final AtomicLong held = new AtomicLong();
    private final Set<Reading> underway = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** @param deadline how long a body that has arrived waits for what comes of it at most */
    Bodies(Limits limits, Duration deadline) {
        this.limits = limits;
        this.deadline = deadline;
    }

    /** Refuses, by its headers alone, what is too large or packed. */
    void check(Context ctx) {
        String encoding = ctx.header("Content-Encoding");
        if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
            throw Problem.unsupported("bodies must not be packed but this one has a Content-Encoding");
        }
        if (ctx.req().getContentLengthLong() > limits.bodyBytes()) {
            throw tooLarge();
        }
    }

    private Problem slow() {
        return Problem.of(408, "a body must arrive within " + limits.bodyTime().toSeconds() + " s");
    }

    private Problem full() {
        return Problem.busy(
                "all requests, and answers not read yet, may have " + limits.allBodies() + " bytes together", 1);
    }

    private Problem tooLarge() {
        return Problem.tooLarge("a body may have at most " + limits.bodyBytes() + " bytes");
    }

    /**
     * Reads the body of a request for which asynchronous processing has begun, and works on it. Its bytes count until the
     * work returns.
     *
     * @param work gets the body, and what is done when nobody waits for the outcome any more
     */
    <T> CompletableFuture<T> read(
            Context ctx, Executor workers, BiFunction<byte[], Future<Void>, CompletableFuture<T>> work) {
        Reading reading = new Reading(ctx);
        underway.add(reading);
        if (closed) {
            reading.stop();
        }
        try {
            ctx.req().getInputStream().setReadListener(reading);
        } catch (IOException e) {
            reading.onError(e);
        }
        return reading.arrived
                .orTimeout(limits.bodyTime().toMillis(), TimeUnit.MILLISECONDS)
                .exceptionallyCompose(failure -> {
                    reading.release();
                    return CompletableFuture.failedFuture(failure instanceof TimeoutException ? slow() : failure);
                })
                .thenCompose(arrived -> begin(reading, workers, work));
    }

    /**
     * Works on a body when its turn comes, unless half of its deadline has passed by then: where more comes than can be worked on
     * it would most likely be late, and so would be all that come after it.
     */
    private <T> CompletableFuture<T> begin(
            Reading reading, Executor workers, BiFunction<byte[], Future<Void>, CompletableFuture<T>> work) {
        long arrived = System.nanoTime();
        CompletableFuture<Void> turn = new CompletableFuture<>();
        CompletableFuture<Void> abandoned = new CompletableFuture<>();
        CompletableFuture<T> done = turn.thenCompose(now -> work.apply(reading.handOver(), abandoned))
                .orTimeout(deadline.toMillis(), TimeUnit.MILLISECONDS);
        try {
            workers.execute(() -> {
                if (System.nanoTime() - arrived > deadline.toNanos() / 2) {
                    done.completeExceptionally(new TimeoutException());
                } else {
                    turn.complete(null);
                }
                reading.release();
            });
        } catch (RejectedExecutionException e) {
            reading.release();
            throw e;
        }
        return done.whenComplete((result, failure) -> abandoned.complete(null));
    }

    /**
     * Sends an answer, whose bytes count meanwhile.
     *
     * @param send returns when the client has them, or there is no client any more
     */
    void send(int bytes, Runnable send) {
        held.addAndGet(bytes);
        try {
            send.run();
        } finally {
            held.addAndGet(-bytes);
        }
    }

    /** Refuses an answer for which there is no room, because clients have not read theirs. */
    byte[] checked(byte[] answer) {
        if (held.get() + answer.length > limits.allBodies()) {
            throw full();
        }
        return answer;
    }

    /** One body on its way. Jetty keeps this as long as the request lasts, so it keeps no bytes that it has handed over. */
    private final class Reading implements ReadListener {

        private final CompletableFuture<Void> arrived = new CompletableFuture<>();
        private ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final Context ctx;
        private int taken;
        private boolean released;

        Reading(Context ctx) {
            this.ctx = ctx;
        }

        @Override
        public void onDataAvailable() throws IOException {
            ServletInputStream stream = ctx.req().getInputStream();
            byte[] chunk = new byte[CHUNK];
            while (stream.isReady() && !arrived.isDone()) {
                int count = stream.read(chunk);
                if (count < 0) {
                    return;
                }
                take(chunk, count);
            }
        }

        private synchronized void take(byte[] chunk, int count) {
            if (released) {
                return;
            }
            taken += count;
            if (held.addAndGet(count) > limits.allBodies()) {
                arrived.completeExceptionally(full());
            } else if (taken > limits.bodyBytes()) {
                arrived.completeExceptionally(tooLarge());
            } else {
                bytes.write(chunk, 0, count);
            }
        }

        private synchronized byte[] handOver() {
            byte[] whole = bytes.toByteArray();
            bytes = new ByteArrayOutputStream(0);
            return whole;
        }

        private synchronized void release() {
            held.addAndGet(released ? 0 : -taken);
            released = true;
            bytes = new ByteArrayOutputStream(0);
            underway.remove(this);
        }

        void stop() {
            arrived.completeExceptionally(Problem.stopping());
        }

        @Override
        public void onAllDataRead() {
            arrived.complete(null);
        }

        @Override
        public void onError(Throwable failure) {
            arrived.completeExceptionally(
                    failure instanceof TimeoutException ? failure : Problem.badRequest("the body ended too early"));
        }
    }

    /** Waits for no body any more: requests that are still arriving are told that the server is stopping. */
    @Override
    public void close() {
        closed = true;
        underway.forEach(Reading::stop);
    }
}
