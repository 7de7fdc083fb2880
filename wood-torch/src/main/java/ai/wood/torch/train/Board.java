package ai.wood.torch.train;

import static java.nio.charset.StandardCharsets.UTF_8;

import ai.wood.torch.Engine;
import ai.wood.torch.NativeScope;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.bytedeco.javacpp.chrono.Milliseconds;
import org.bytedeco.pytorch.ByteVector;
import org.bytedeco.pytorch.Store;
import org.bytedeco.pytorch.StringVector;
import org.bytedeco.pytorch.TCPStore;
import org.bytedeco.pytorch.TCPStoreOptions;
import org.bytedeco.pytorch.global.torch;

/**
 * What ranks tell each other in words: texts under names, which rank 0 keeps for all to read (PyTorch's
 * {@code TCPStore}). No question takes longer than some seconds, even where rank 0 has stopped in its tracks.
 */
final class Board implements AutoCloseable {

    private static final int ANSWER_SECONDS = 5;
    private static final int PAUSE_MILLIS = 20;
    private static final String LOG_LEVEL = "TORCH_CPP_LOG_LEVEL";

    static {
        Engine.start();
        if (System.getenv(LOG_LEVEL) == null) { // what goes wrong is told in a sentence, not in native stack traces
            torch.set_env(LOG_LEVEL, "ERROR");
            torch.initLogging();
        }
    }

    private final World world;
    private final TCPStore store;
    private final ExecutorService asking = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "wood-board");
        thread.setDaemon(true);
        return thread;
    });
    private boolean answers = true;

    /**
     * Sets the board up on rank 0, and finds it on the others.
     *
     * @throws RankException where it cannot be set up or found
     */
    Board(World world) throws RankException {
        this.world = world;
        try {
            store = NativeScope.call(() -> NativeScope.retain(new TCPStore(
                    world.host(),
                    new TCPStoreOptions()
                            .port((short) world.port())
                            .isServer(world.rank() == 0)
                            .waitWorkers(false)
                            .timeout(new Milliseconds(world.timeout().toMillis())))));
        } catch (RuntimeException e) {
            String place = world.host() + ":" + world.port();
            throw new RankException(
                    world.rank() == 0
                            ? "rank 0 cannot listen at " + place
                                    + ". Maybe another program does, or choose another port."
                            : "rank 0 was not found at " + place + " within "
                                    + world.timeout().toSeconds() + " s. Maybe it was not started, or has stopped.",
                    e);
        }
    }

    /** Puts up a text. */
    void put(String name, String text) throws RankException {
        ask(() -> {
            store.set(name, new ByteVector(text.getBytes(UTF_8)));
            return true;
        });
    }

    /** The text under a name, as soon as it is there; none where it does not come in time. */
    Optional<String> await(String name, Duration patience) throws RankException {
        long end = System.nanoTime() + patience.toNanos();
        while (!ask(() -> store.check(new StringVector(name)))) {
            if (System.nanoTime() - end > 0) {
                return Optional.empty();
            }
            pause();
        }
        return Optional.of(ask(() -> new String(store.get(name).get(), UTF_8)));
    }

    /** How often this was asked for a name, this time included. */
    long count(String name) throws RankException {
        return ask(() -> store.add(name, 1));
    }

    /** Where backends find each other. */
    Store store() {
        return store;
    }

    private <T> T ask(Callable<T> question) throws RankException {
        Future<T> answer = asking.submit(() -> NativeScope.call(question::call));
        try {
            return answer.get(ANSWER_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            answers = false;
            throw new RankException(
                    "rank 0 does not answer at " + world.host() + ":" + world.port()
                            + ": it was killed, hangs, or cannot be reached",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RankException("interrupted while waiting for rank 0", e);
        }
    }

    private static void pause() throws RankException {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RankException("interrupted while waiting for another rank", e);
        }
    }

    @Override
    public void close() {
        asking.shutdownNow();
        if (answers) { // otherwise somebody is still asking
            store.releaseReference();
        }
    }
}
