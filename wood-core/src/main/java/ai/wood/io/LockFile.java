package ai.wood.io;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The sole right to write something: an empty file next to it, locked until this is closed or the process ends.
 *
 * <p>Where a process closes any channel of a file, the system releases all of its locks on that file. So this process has at
 * most one channel of each lock file, which stays open as long as the process may have a lock on the file.
 */
public final class LockFile implements Closeable {

    /** The open channels by {@link #key}: those with a lock, and those refused by a lock that other code of this process has. */
    private static final Map<Object, FileChannel> CHANNELS = new HashMap<>();

    private static final Duration POLL = Duration.ofMillis(5);

    private final FileChannel channel;

    private LockFile(FileChannel channel) {
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
        synchronized (CHANNELS) {
            FileChannel known = Files.exists(file) ? CHANNELS.get(key(file)) : null;
            FileChannel channel = known == null ? open(file) : known;
            try {
                if (channel.tryLock() != null) {
                    return new LockFile(channel);
                }
            } catch (OverlappingFileLockException e) {
                return null; // this process has the lock; closing the channel would release it
            } catch (IOException e) {
                close(channel);
                throw e;
            }
            close(channel); // another process has the lock, so this one has none to lose
            return null;
        }
    }

    private static FileChannel open(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            CHANNELS.put(key(file), channel);
            return channel;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /** Identifies a file under all its names. */
    private static Object key(Path file) throws IOException {
        Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        return key == null ? file.toRealPath() : key;
    }

    private static void close(FileChannel channel) throws IOException {
        CHANNELS.values().remove(channel);
        channel.close();
    }

    @Override
    public void close() throws IOException {
        synchronized (CHANNELS) {
            close(channel);
        }
    }
}
