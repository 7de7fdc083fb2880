package ai.wood.torch;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Where native work passes on its way in and out. A process that ends frees what libtorch has, and would crash if a
 * thread were still at work there: so the gate is closed first.
 */
public final class NativeGate {

    private static final ReentrantReadWriteLock LOCK = new ReentrantReadWriteLock();

    private NativeGate() {}

    static void enter() {
        LOCK.readLock().lock();
    }

    static void leave() {
        LOCK.readLock().unlock();
    }

    /**
     * Lets the work inside come out, and nothing in any more: threads that want to enter wait for ever. For the end of
     * the process only.
     *
     * @return whether all have come out in time
     */
    public static boolean close(Duration patience) {
        try {
            return LOCK.writeLock().tryLock(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
