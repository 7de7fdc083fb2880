package ai.wood.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.regex.Pattern;

/**
 * Replaces files so that a crash, a kill or a full disk at any moment leaves the old content or the new one.
 *
 * <p>The new content goes to a neighbour called {@code .NAME.RANDOM.wood-tmp}, is forced to the disk, and takes the place
 * of the old in one rename. Where several processes write one file at once, it is that of the last one, and whole. What a
 * symbolic link leads to is replaced, not the link; a device or a pipe is written to as it is.
 *
 * <p>A process that is killed leaves the neighbour behind. It goes when the file is replaced again, once nobody has written to
 * it for a week.
 */
public final class AtomicFile {

    private static final String TEMPORARY = ".wood-tmp";
    private static final Duration ABANDONED = Duration.ofDays(7);

    private AtomicFile() {}

    /** Writes the content of a file. */
    @FunctionalInterface
    public interface Content {
        void writeTo(FileChannel channel) throws IOException;
    }

    /**
     * Replaces or creates a file.
     *
     * @throws IOException naming the file and the reason; the old content is then untouched
     */
    public static void replace(Path file, Content content) throws IOException {
        refuseFolder(file);
        if (isDevice(file)) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                content.writeTo(channel);
            } catch (IOException e) {
                throw failed(file, e);
            }
            return;
        }
        Path target = Files.isSymbolicLink(file) && Files.exists(file) ? file.toRealPath() : file;
        Path temporary = target.resolveSibling(
                "." + target.getFileName() + "." + Long.toHexString(new SecureRandom().nextLong()) + TEMPORARY);
        try {
            try (FileChannel channel =
                    FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                content.writeTo(channel);
                channel.force(true);
            }
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
            deleteAbandoned(target);
        } catch (IOException e) {
            delete(temporary, e);
            throw failed(file, e);
        } catch (RuntimeException | Error e) {
            delete(temporary, e);
            throw e;
        }
    }

    /**
     * Tells of a file that cannot be written, before the work is done that would fill it.
     *
     * @throws IOException where {@link #replace} would throw it, as far as is known beforehand
     */
    public static void check(Path file) throws IOException {
        refuseFolder(file);
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null && !Files.isDirectory(folder)) {
            throw failed(file, new NoSuchFileException(folder.toString()));
        }
        if (folder != null && !Files.isWritable(isDevice(file) ? file : folder)) {
            throw failed(file, new AccessDeniedException(folder.toString()));
        }
    }

    /** Where a file is, links followed; it may be yet to come. */
    public static Path real(Path file) throws IOException {
        if (Files.exists(file)) {
            return file.toRealPath();
        }
        Path absolute = file.toAbsolutePath();
        Path folder = absolute.getParent();
        while (folder != null && !Files.exists(folder)) {
            folder = folder.getParent();
        }
        return folder == null
                ? absolute.normalize()
                : folder.toRealPath().resolve(folder.relativize(absolute)).normalize();
    }

    /**
     * Deletes what processes that crashed have left of their attempts to replace a file. For its sole writer: an attempt
     * that goes on would fail.
     */
    public static void deleteLeftovers(Path file) throws IOException {
        deleteLeftovers(file, leftover -> true);
    }

    private static void deleteLeftovers(Path file, DirectoryStream.Filter<Path> which) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        Pattern name =
                Pattern.compile(Pattern.quote("." + file.getFileName() + ".") + "[0-9a-f]+" + Pattern.quote(TEMPORARY));
        try (DirectoryStream<Path> leftovers = Files.newDirectoryStream(
                folder, each -> name.matcher(each.getFileName().toString()).matches() && which.accept(each))) {
            for (Path leftover : leftovers) {
                Files.deleteIfExists(leftover);
            }
        }
    }

    /** What cannot be deleted, or was by another process meanwhile, is no reason to fail: the file is written. */
    private static void deleteAbandoned(Path file) {
        Instant last = Instant.now().minus(ABANDONED);
        try {
            deleteLeftovers(
                    file,
                    leftover -> Files.getLastModifiedTime(leftover).toInstant().isBefore(last));
        } catch (IOException | DirectoryIteratorException e) {
            return;
        }
    }

    /** Replaces a file by a text, in UTF-8. */
    public static void replace(Path file, String text) throws IOException {
        replace(file, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Replaces or creates a file with these bytes. */
    public static void replace(Path file, byte[] content) throws IOException {
        replace(file, channel -> writeFully(channel, ByteBuffer.wrap(content)));
    }

    /** Writes all remaining bytes; a single {@code write} may leave some. */
    public static void writeFully(WritableByteChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    /** A device or a pipe, which is written to as it is. */
    private static boolean isDevice(Path file) {
        return Files.exists(file) && !Files.isRegularFile(file);
    }

    private static void refuseFolder(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            throw new IOException(file + ": a file is to be written but this is a folder. Maybe name a file in it.");
        }
    }

    private static void delete(Path temporary, Throwable cause) {
        try {
            Files.deleteIfExists(temporary);
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    private static IOException failed(Path file, IOException cause) {
        return new IOException(
                file + ": could not be written" + (Files.exists(file) ? ", its old content is untouched (" : " (")
                        + reason(cause)
                        + "). Maybe the disk is full or the folder does not exist or cannot be written.",
                cause);
    }

    /** Why the file system refused something, in a few words. */
    public static String reason(IOException cause) {
        return cause instanceof NoSuchFileException
                ? "there is no such folder"
                : cause instanceof FileAlreadyExistsException
                        ? "a file of that name is there"
                        : cause instanceof AccessDeniedException
                                ? "permission denied"
                                : cause instanceof FileSystemException system && system.getReason() != null
                                        ? system.getReason()
                                        : String.valueOf(cause.getMessage());
    }

    /**
     * Refuses to have a file written in place of one that is needed.
     *
     * @param needed the other file
     * @param what it is, for the message
     */
    public static void refuse(Path file, Path needed, String what) throws IOException {
        if (real(file).equals(real(needed))) {
            throw new IOException(file + ": a new file is to be written but this is " + what
                    + ", which would be lost. Maybe name another file.");
        }
    }
}
