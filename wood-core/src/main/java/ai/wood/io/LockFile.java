package ai.wood.io;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The sole right to write something: an empty file beside it, locked until this is closed or the process ends, however it ends.
 */
public final class LockFile implements Closeable {

    /** Those that this process has: the system would take the locks away if it opened one of these files again and closed it. */
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private static final Duration POLL = Duration.ofMillis(5);

    private final Path file;
    private final FileChannel channel;

    private LockFile(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /**
     * Locks a file, and makes it where it is missing.
     *
     * @param refusal the message where another process or thread has it
     */
    public static LockFile lock(Path file, String refusal) throws IOException {
        return await(file, Duration.ZERO, refusal);
    }

    /** The same, after waiting some time for it where it is taken. */
    public static LockFile await(Path file, Duration patience, String refusal) throws IOException {
        long start = System.nanoTime();
        LockFile lock = tryLock(file);
        while (lock == null && System.nanoTime() - start < patience.toNanos()) {
            LockSupport.parkNanos(POLL.toNanos());
            lock = tryLock(file);
        }
        if (lock == null) {
            throw new IOException(refusal);
        }
        return lock;
    }

    private static @Nullable LockFile tryLock(Path file) throws IOException {
        Path real = AtomicFile.real(file);
        if (!HELD.add(real)) {
            return null;
        }
        FileChannel channel = null;
        LockFile lock = null;
        try {
            channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            lock = channel.tryLock() == null ? null : new LockFile(real, channel);
        } catch (OverlappingFileLockException e) {
            // this process has it by other means
        } finally {
            if (lock == null) {
                close(channel, real);
            }
        }
        return lock;
    }

    private static void close(@Nullable FileChannel channel, Path file) throws IOException {
        try {
            if (channel != null) {
                channel.close();
            }
        } finally {
            HELD.remove(file);
        }
    }

    @Override
    public void close() throws IOException {
        if (channel.isOpen()) {
            close(channel, file);
        }
    }
}
