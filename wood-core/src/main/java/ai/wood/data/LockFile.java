package ai.wood.data;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The sole right to write something: an empty file beside it, locked until this is closed or the process ends, however it ends.
 */
public final class LockFile implements Closeable {

    /** Those that this process has: the system would take the locks away if it opened one of these files again and closed it. */
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

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
        Path real = AtomicFile.real(file);
        if (!HELD.add(real)) {
            throw new IOException(refusal);
        }
        FileChannel channel = null;
        boolean held = false;
        try {
            channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            held = channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            throw new IOException(refusal, e); // this process has it by other means
        } finally {
            if (!held) {
                close(channel, real);
            }
        }
        if (!held) {
            throw new IOException(refusal);
        }
        return new LockFile(real, channel);
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
