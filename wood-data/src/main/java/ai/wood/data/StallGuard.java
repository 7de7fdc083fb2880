package ai.wood.data;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/** Closes a stream from which nothing came for too long, so that whoever waits for it can try again. */
final class StallGuard implements AutoCloseable {

    private final InputStream in;
    private final long limit;
    private final Thread watch;
    private volatile long lastSign = System.nanoTime();
    private volatile boolean stalled;

    StallGuard(InputStream in, Duration limit) {
        this.in = in;
        this.limit = limit.toNanos();
        this.watch = new Thread(this::watch, "wood-stall-guard");
        watch.setDaemon(true);
        watch.start();
    }

    /** Something came. */
    void sign() {
        lastSign = System.nanoTime();
    }

    boolean stalled() {
        return stalled;
    }

    private void watch() {
        try {
            for (long left = limit; left > 0; left = limit - (System.nanoTime() - lastSign)) {
                Thread.sleep(left / 1_000_000 + 1);
            }
            stalled = true;
            in.close();
        } catch (InterruptedException | IOException e) {
            // the fetch ended, or the stream is closed already: nothing is left to guard
        }
    }

    @Override
    public void close() {
        watch.interrupt();
    }
}
