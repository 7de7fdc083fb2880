package ai.wood.server;

import ai.wood.data.Image;
import ai.wood.server.Judge.Judgement;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The routes that judge. A body is read without a thread waiting for it, worked on by as many threads as there are
 * processors, so that no more images than these are decoded at once, and judged in a batch with others. Verdicts are written
 * by as many threads again, so that they do not wait behind bodies that nobody has worked on yet. The answer is sent by a thread
 * of its own, which waits where the client does.
 */
final class JudgeRoutes implements AutoCloseable {

    private final Judges judges;
    private final Bodies bodies;
    private final Intake intake;
    private final int maxImages;
    private final Duration deadline;
    private final ExecutorService workers = pool("wood-request");
    private final ExecutorService writers = pool("wood-verdict");
    private final ExecutorService senders = Executors.newCachedThreadPool(task -> new Thread(task, "wood-answer"));

    JudgeRoutes(Judges judges, ServerOptions options) {
        this.judges = judges;
        this.intake = new Intake(options.limits());
        this.maxImages = options.batch().images();
        this.deadline = options.batch().deadline();
        this.bodies = new Bodies(options.limits(), deadline);
    }

    private static ExecutorService pool(String name) {
        return Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors(), task -> new Thread(task, name));
    }

    /** Reads the body, works on it without holding up other requests, and sends the outcome. */
    private void answer(Context ctx, BiFunction<byte[], Future<Void>, CompletableFuture<Supplier<ObjectNode>>> work) {
        bodies.check(ctx);
        ctx.future(() -> {
            CompletableFuture<byte[]> made = bodies.read(
                    ctx,
                    workers,
                    (body, abandoned) -> work.apply(body, abandoned)
                            .thenApplyAsync(json -> bodies.checked(HttpJson.bytes(json.get())), writers));
            return made.handleAsync(
                    (json, failure) -> {
                        if (failure != null) {
                            Problem.send(ctx, failure);
                        } else {
                            ctx.contentType(HttpJson.CONTENT_TYPE).result(json);
                        }
                        return json;
                    },
                    send -> senders.execute(() -> bodies.send(length(made), send)));
        });
    }

    private static int length(CompletableFuture<byte[]> made) {
        return made.isCompletedExceptionally() ? 0 : made.join().length;
    }

    void metadata(Context ctx) {
        HttpJson.send(ctx, protocol(judges.named(ctx)).metadata());
    }

    private InferenceProtocol protocol(Judge judge) {
        return new InferenceProtocol(judge, maxImages);
    }

    /** As it was sent: Jetty's own way fails where it names a charset that is none. */
    private static @Nullable String contentType(Context ctx) {
        return ctx.header("Content-Type");
    }

    private static void requireJson(Context ctx) {
        if (!Intake.mediaType(contentType(ctx)).equals(HttpJson.CONTENT_TYPE)) {
            throw Problem.unsupported("the Content-Type must be " + HttpJson.CONTENT_TYPE);
        }
    }

    void judge(Context ctx) {
        Judge judge = judges.chosen(ctx);
        judge.shape();
        boolean monitored = Judges.monitored(ctx);
        String type = contentType(ctx);
        Intake.check(type);
        answer(ctx, (body, abandoned) -> {
            Image image = judge.fitted(intake.image(type, body));
            return judge.judge(List.of(image), abandoned, monitored)
                    .thenApply(judged -> () -> judge.json(judged.get(0)));
        });
    }

    void detect(Context ctx) {
        Judge judge = judges.chosen(ctx);
        boolean monitored = Judges.monitored(ctx);
        requireJson(ctx);
        answer(ctx, (body, abandoned) -> {
            List<Judgement> judged = judge.judge(OutputRows.read(body), monitored);
            return CompletableFuture.completedFuture(() -> {
                ArrayNode verdicts = HttpJson.array();
                judged.forEach(each -> verdicts.add(judge.json(each)));
                return HttpJson.object().<ObjectNode>set("verdicts", verdicts);
            });
        });
    }

    void infer(Context ctx) {
        Judge judge = judges.named(ctx);
        judge.shape();
        boolean monitored = Judges.monitored(ctx);
        InferenceProtocol protocol = protocol(judge);
        String header = ctx.header("Inference-Header-Content-Length");
        if (header == null && contentType(ctx) != null) { // some clients of the protocol send no type
            requireJson(ctx);
        }
        answer(ctx, (body, abandoned) -> {
            InferRequest request = protocol.read(body, header == null ? body.length : length(header));
            return judge.judge(request.images(), abandoned, monitored)
                    .thenApply(judged -> () -> protocol.answer(request, judged));
        });
    }

    private static int length(String header) {
        try {
            return Integer.parseInt(header);
        } catch (NumberFormatException e) {
            throw Problem.badRequest("the length of the JSON header must be a number");
        }
    }

    /** Finishes what has arrived. */
    @Override
    public void close() {
        bodies.close();
        finish(workers);
        finish(writers);
        senders.shutdown();
    }

    private void finish(ExecutorService tasks) {
        tasks.shutdown();
        try {
            tasks.awaitTermination(deadline.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
