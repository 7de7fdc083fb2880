package ai.wood.data;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/** An empty file that one writer at a time has locked, until it is closed or the process ends, however it ends. */
public final class LockFile implements Closeable {

    private final FileChannel channel;

    private LockFile(FileChannel channel) {
        this.channel = channel;
    }

    /** Locks a file, which is made where there is none; empty where another process or thread has locked it. */
    public static Optional<LockFile> lock(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        boolean held = false;
        try {
            held = channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            held = false; // by another thread of this process
        } finally {
            if (!held) {
                channel.close();
            }
        }
        return held ? Optional.of(new LockFile(channel)) : Optional.empty();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
