package ai.wood.lab;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

/**
 * Sends requests and times the answers.
 *
 * @param requests makes request number i
 */
record Load(IntFunction<HttpRequest> requests) {

    /** How it went. */
    public static final class Outcome {

        private final double[] sorted;
        private final int errors;
        private final double seconds;

        private Outcome(double[] latencies, int errors, double seconds) {
            this.sorted = latencies;
            Arrays.sort(sorted);
            this.errors = errors;
            this.seconds = seconds;
        }

        /** Answers a second, errors left out. */
        public double rate() {
            return (sorted.length - errors) / seconds;
        }

        /** Seconds within which a share of the answers came. */
        public double latency(double share) {
            return sorted[(int) Math.min(sorted.length - 1L, Math.round(Math.ceil(share * sorted.length)) - 1)];
        }

        /** Answers other than 200, and requests without an answer. */
        public int errors() {
            return errors;
        }
    }

    /** Keeps so many requests under way until all are answered. */
    public Outcome atOnce(int concurrent, int count) {
        Semaphore room = new Semaphore(concurrent);
        return send(
                count,
                i -> {
                    room.acquireUninterruptibly();
                    return System.nanoTime();
                },
                room::release);
    }

    /** Sends requests at a steady rate, whether or not earlier ones are answered. Latencies count from when each was due. */
    public Outcome atRate(double perSecond, int count) {
        long start = System.nanoTime();
        return send(
                count,
                i -> {
                    long due = start + (long) (i * 1e9 / perSecond);
                    for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                        LockSupport.parkNanos(left);
                    }
                    return due;
                },
                () -> {});
    }

    /** Waits until request number i is due, and says when that was. */
    private interface Pace {
        long await(int i);
    }

    private Outcome send(int count, Pace pace, Runnable answered) {
        HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        double[] latencies = new double[count];
        AtomicInteger errors = new AtomicInteger();
        CompletableFuture<?>[] all = new CompletableFuture<?>[count];
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            int index = i;
            long due = pace.await(i);
            all[i] = client.sendAsync(requests.apply(i), BodyHandlers.discarding())
                    .handle((response, failure) -> {
                        latencies[index] = (System.nanoTime() - due) / 1e9;
                        if (failure != null || response.statusCode() != 200) {
                            errors.incrementAndGet();
                        }
                        answered.run();
                        return index;
                    });
        }
        CompletableFuture.allOf(all).join();
        return new Outcome(latencies, errors.get(), (System.nanoTime() - start) / 1e9);
    }
}
