package ai.wood.data;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The sole right to write something: an empty file beside it, locked until this is closed or the process ends, however it ends.
 */
public final class LockFile implements Closeable {

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
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        boolean held = false;
        try {
            held = channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            throw new IOException(refusal, e); // another thread of this process
        } finally {
            if (!held) {
                channel.close();
            }
        }
        if (!held) {
            throw new IOException(refusal);
        }
        return new LockFile(channel);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
