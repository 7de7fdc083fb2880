package ai.wood.torch;

import java.util.function.Supplier;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Tensor;

/**
 * Runs work that allocates native memory and frees all of it at the end, except what is kept on purpose.
 *
 * <p>Scopes nest. Left to the garbage collector, which sees only the few bytes of a tensor's handle, native memory would
 * swing by gigabytes.
 */
public final class NativeScope {

    static {
        Engine.start();
    }

    private NativeScope() {}

    /** Work with a result that is not native, and exceptions of its own. */
    @FunctionalInterface
    public interface Work<T, E extends Exception> {
        T run() throws E;
    }

    /** Work without a result. */
    @FunctionalInterface
    public interface Action<E extends Exception> {
        void run() throws E;
    }

    /** Runs work in a scope. */
    @SuppressWarnings("try")
    public static <E extends Exception> void run(Action<E> action) throws E {
        NativeGate.enter();
        try (PointerScope scope = new PointerScope()) {
            action.run();
        } finally {
            NativeGate.leave();
        }
    }

    /** The same, and nothing in it is recorded for gradients. */
    @SuppressWarnings("try")
    public static <E extends Exception> void runWithoutGradients(Action<E> action) throws E {
        run(() -> {
            try (NoGradGuard guard = new NoGradGuard()) {
                action.run();
            }
        });
    }

    /** Runs work in a scope; its result must not be native. */
    @SuppressWarnings("try")
    public static <T, E extends Exception> T call(Work<T, E> work) throws E {
        NativeGate.enter();
        try (PointerScope scope = new PointerScope()) {
            return work.run();
        } finally {
            NativeGate.leave();
        }
    }

    /** The same, and nothing in it is recorded for gradients. */
    @SuppressWarnings("try")
    public static <T, E extends Exception> T callWithoutGradients(Work<T, E> work) throws E {
        return call(() -> {
            try (NoGradGuard guard = new NoGradGuard()) {
                return work.run();
            }
        });
    }

    /** Runs work in a scope: only the resulting tensor survives, handed to the enclosing scope. */
    public static Tensor tensor(Supplier<Tensor> work) {
        Tensor result = kept(work);
        PointerScope outer = PointerScope.getInnerScope();
        if (outer != null) {
            outer.attach(result);
            result.releaseReference();
        }
        return result;
    }

    /** Runs work in a scope: only the resulting tensor survives, until {@code releaseReference()} is called on it. */
    public static Tensor kept(Supplier<Tensor> work) {
        return call(() -> retain(work.get()));
    }

    /** Keeps a pointer beyond its scope, until {@code releaseReference()} is called on it. */
    public static <P extends Pointer> P retain(P pointer) {
        pointer.retainReference();
        return pointer;
    }
}
