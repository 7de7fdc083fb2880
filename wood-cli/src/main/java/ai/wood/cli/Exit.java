package ai.wood.cli;

import ai.wood.torch.NativeGate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What happens when the process ends, also by Ctrl-C or a request to stop: what was asked for, then native work rests. */
final class Exit {

    /** A step of training, or a micro-batch, takes less. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final List<Runnable> ASKED = new CopyOnWriteArrayList<>();

    private static volatile boolean begun;

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(Exit::end, "wood-exit"));
    }

    private Exit() {}

    /** Makes sure that native work rests before the process ends. */
    static void prepare() {
        // The class initialiser has.
    }

    /** Asks for something to be done when the process ends. */
    static void before(Runnable action) {
        ASKED.add(action);
    }

    /** Takes it back. */
    static void forget(Runnable action) {
        ASKED.remove(action);
    }

    /** Whether the process is about to end because somebody stops it. */
    static boolean hasBegun() {
        return begun;
    }

    private static void end() {
        begun = true;
        ASKED.forEach(Runnable::run);
        NativeGate.close(PATIENCE);
    }
}
