package ai.wood.server;

import ai.wood.data.Image;
import ai.wood.server.Judge.Judgement;
import ai.wood.server.ServerOptions.Batching;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Gathers the images of several requests into batches. A batch leaves when it is full, or when its first image has
 * waited long enough. One batch is judged at a time, with all of the network's threads, while the next one grows: two at
 * once would both be small, and both be late.
 *
 * <p>What is accepted is bounded, and what is accepted is judged: closing finishes it. A request whose deadline has
 * passed leaves the queue unjudged.
 */
final class Batcher implements AutoCloseable {

    private static final Job LAST = new Job(List.of(), new CompletableFuture<>(), new CompletableFuture<>(), 0);

    /** The images of one request; the last job has none. */
    private record Job(
            List<Image> images, CompletableFuture<List<Judgement>> verdicts, Future<Void> abandoned, long since) {

        boolean isLast() {
            return images.isEmpty();
        }
    }

    private final Function<List<Image>, List<Judgement>> judge;
    private final Batching options;
    private final LinkedBlockingQueue<Job> queue = new LinkedBlockingQueue<>();
    private final Semaphore room;
    private final Thread thread;
    private final DistributionSummary sizes;
    private final Timer waits;
    private final Timer passes;
    private volatile double secondsPerImage;
    private boolean closed;

    Batcher(String name, Function<List<Image>, List<Judgement>> judge, Batching options, MeterRegistry meters) {
        this.judge = judge;
        this.options = options;
        this.room = new Semaphore(options.queue());
        Gauge.builder("wood.queue.images", this, Batcher::waiting)
                .description("images accepted and not yet judged")
                .tag("detector", name)
                .register(meters);
        this.sizes = DistributionSummary.builder("wood.batch.images")
                .description("images judged at once")
                .tag("detector", name)
                .publishPercentiles(0.5, 0.99)
                .register(meters);
        this.waits = Monitor.timer("wood.queue.wait", "time in the queue", name).register(meters);
        this.passes = Monitor.timer("wood.batch.time", "time of a batch in the network and scorer", name)
                .register(meters);
        this.thread = new Thread(this::run, "wood-batch-" + name);
        thread.start();
    }

    private int waiting() {
        return options.queue() - room.availablePermits();
    }

    /**
     * Accepts one image or more, all or none.
     *
     * @param abandoned is done where nobody waits for the verdicts any more
     * @throws Problem where there is no room, or the batcher is closed
     */
    synchronized CompletableFuture<List<Judgement>> submit(List<Image> images, Future<Void> abandoned) {
        if (closed) {
            throw Problem.stopping();
        }
        if (!room.tryAcquire(images.size())) {
            int seconds = (int) Math.max(1, Math.ceil(waiting() * secondsPerImage));
            throw Problem.busy("there are too many images in the queue", seconds);
        }
        CompletableFuture<List<Judgement>> verdicts = new CompletableFuture<>();
        queue.add(new Job(images, verdicts, abandoned, System.nanoTime()));
        return verdicts;
    }

    private void run() {
        try {
            Job next = queue.take();
            while (!next.isLast()) {
                List<Job> batch = new ArrayList<>(List.of(next));
                next = gather(batch);
                judge(batch);
                if (next == null) {
                    next = queue.take();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody interrupts this thread; LAST ends it
        }
    }

    /** Adds jobs until the batch is full or has waited long enough. Returns the one taken that did not fit, or null. */
    private @Nullable Job gather(List<Job> batch) throws InterruptedException {
        long end = System.nanoTime() + options.patience().toNanos();
        int count = batch.get(0).images().size();
        while (count < options.images()) {
            Job job = queue.poll();
            if (job == null) {
                job = queue.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
            if (job == null || job.isLast() || count + job.images().size() > options.images()) {
                return job;
            }
            batch.add(job);
            count += job.images().size();
        }
        return null;
    }

    private void judge(List<Job> batch) {
        List<Job> alive =
                batch.stream().filter(job -> !job.abandoned().isDone()).toList();
        List<Image> images =
                alive.stream().flatMap(job -> job.images().stream()).toList();
        long start = System.nanoTime();
        alive.forEach(job -> waits.record(start - job.since(), TimeUnit.NANOSECONDS));
        try {
            List<Judgement> judged = images.isEmpty() ? List.of() : judge.apply(images);
            if (!images.isEmpty()) {
                long time = System.nanoTime() - start;
                sizes.record(images.size());
                passes.record(time, TimeUnit.NANOSECONDS);
                secondsPerImage = time / 1e9 / images.size();
            }
            answer(alive, judged);
        } catch (RuntimeException | Error e) { // whatever befalls a batch, the next one gets its turn
            alive.forEach(job -> job.verdicts().completeExceptionally(e));
        } finally {
            batch.forEach(job -> room.release(job.images().size()));
        }
    }

    private static void answer(List<Job> jobs, List<Judgement> judged) {
        int from = 0;
        for (Job job : jobs) {
            int to = from + job.images().size();
            job.verdicts().complete(judged.subList(from, to));
            from = to;
        }
    }

    /** Accepts no more, judges what was accepted, and returns when that is done. */
    @Override
    public void close() {
        synchronized (this) {
            if (!closed) {
                closed = true;
                queue.add(LAST);
            }
        }
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
