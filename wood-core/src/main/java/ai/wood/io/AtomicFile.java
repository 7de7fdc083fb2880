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
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Replaces files so that a crash, a kill or a full disk at any moment leaves the old content or the new one.
 *
 * <p>The new content goes to a neighbour called {@code .NAME.RANDOM.wood-tmp}, is forced to the disk, and takes the place
 * of the old in one rename. Where several processes write one file at once, it is that of the last one, and whole. A file
 * that is replaced keeps its permissions. A symbolic link stays, and its target is replaced or created. A device or a pipe is
 * written to as it is.
 *
 * <p>A process that is killed leaves the neighbour behind. It goes when the file is replaced again, once nobody has written to
 * it for a week.
 */
public final class AtomicFile {

    private static final String TEMPORARY = ".wood-tmp";
    private static final Duration ABANDONED = Duration.ofDays(7);

    /** Bytes of a file name that leave room for the rest of the temporary name: most file systems allow 255. */
    private static final int MAX_PREFIX = 200;

    private static final int MAX_LINKS = 40;

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
        Path target = target(file);
        Path temporary =
                target.resolveSibling(prefix(target) + Long.toHexString(new SecureRandom().nextLong()) + TEMPORARY);
        try {
            try (FileChannel channel = create(temporary, target)) {
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

    /** Where the content goes: to the end of a chain of symbolic links, even if no file is there yet. */
    private static Path target(Path file) throws IOException {
        Path target = Files.isSymbolicLink(file) ? real(file) : file;
        try {
            Files.readAttributes(target, BasicFileAttributes.class);
        } catch (NoSuchFileException e) {
            return target;
        } catch (IOException e) { // the name is too long, for example
            throw failed(file, e);
        }
        return target;
    }

    /** Creates the temporary file, with the permissions of the file that it will replace. */
    private static FileChannel create(Path temporary, Path target) throws IOException {
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        PosixFileAttributeView old = Files.getFileAttributeView(target, PosixFileAttributeView.class);
        if (old == null || !Files.exists(target)) {
            return FileChannel.open(temporary, options);
        }
        Set<PosixFilePermission> mode = old.readAttributes().permissions();
        FileChannel channel = FileChannel.open(temporary, options, PosixFilePermissions.asFileAttribute(mode));
        try {
            Files.setPosixFilePermissions(temporary, mode); // the system has left out what the umask forbids
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        return channel;
    }

    /** Starts the names of all temporary files; of a long name only a hash fits. */
    private static String prefix(Path file) {
        String name = String.valueOf(file.getFileName());
        boolean fits = name.getBytes(StandardCharsets.UTF_8).length <= MAX_PREFIX;
        return "." + (fits ? name : Integer.toHexString(name.hashCode())) + ".";
    }

    /**
     * Refuses a file that cannot be written, before the work is done that would fill it.
     *
     * @throws IOException where {@link #replace} would throw it, as far as is known beforehand
     */
    public static void check(Path file) throws IOException {
        refuseFolder(file);
        Path folder = target(file).toAbsolutePath().getParent();
        if (folder != null && !Files.isDirectory(folder)) {
            throw failed(file, new NoSuchFileException(folder.toString()));
        }
        if (folder != null && !Files.isWritable(isDevice(file) ? file : folder)) {
            throw failed(file, new AccessDeniedException(folder.toString()));
        }
    }

    /** Where a file is, links followed; it may be yet to come. */
    public static Path real(Path file) throws IOException {
        return real(file, MAX_LINKS);
    }

    private static Path real(Path file, int links) throws IOException {
        if (Files.exists(file)) {
            return file.toRealPath();
        }
        if (Files.isSymbolicLink(file)) {
            if (links == 0) {
                throw new IOException(file + ": too many symbolic links lead from one to the next. Name another file.");
            }
            return real(file.resolveSibling(Files.readSymbolicLink(file)), links - 1);
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
        Pattern name = Pattern.compile(Pattern.quote(prefix(file)) + "[0-9a-f]+" + Pattern.quote(TEMPORARY));
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
