package ai.wood.data;

import ai.wood.io.Input;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Unpacks zip and tar.gz archives that are not trusted: no member may land outside the folder, links are refused, and
 * what comes out is bounded.
 */
final class Archive {

    private static final long MAX_BYTES = 8L << 30;
    private static final int MAX_MEMBERS = 2_000_000;

    private final Path archive;
    private final Path folder;
    private final String wanted;
    private long bytes;
    private int members;
    private int unpacked;

    private Archive(Path archive, Path folder, String wanted) {
        this.archive = archive;
        this.folder = folder.toAbsolutePath().normalize();
        this.wanted = wanted;
    }

    /**
     * Unpacks the files whose names contain {@code wanted} and drops the first folder of their names.
     *
     * @throws IOException where the archive is damaged or wants to write elsewhere
     */
    static void unpack(Path archive, Path folder, String wanted) throws IOException {
        Archive run = new Archive(archive, folder, wanted);
        try {
            if (isZip(archive)) {
                run.unzip();
            } else {
                run.untar();
            }
            if (run.unpacked == 0) {
                throw new IOException(archive + ": must hold files named like '" + wanted + "' but holds none");
            }
        } catch (IOException | IllegalArgumentException e) {
            throw Input.named(archive.toString(), e);
        }
    }

    private static boolean isZip(Path archive) throws IOException {
        try (InputStream in = Files.newInputStream(archive)) {
            return in.read() == 'P' && in.read() == 'K';
        }
    }

    private void unzip() throws IOException {
        try (ZipFile zip = new ZipFile(archive.toFile())) {
            for (Enumeration<? extends ZipEntry> all = zip.entries(); all.hasMoreElements(); ) {
                ZipEntry entry = all.nextElement();
                if (!entry.isDirectory()) {
                    try (InputStream in = zip.getInputStream(entry)) {
                        unpack(entry.getName(), in);
                    }
                }
            }
        }
    }

    private void untar() throws IOException {
        try (Input in = Input.open(archive)) {
            Tar tar = new Tar(in);
            for (Tar.Member member = tar.next(); member != null; member = tar.next()) {
                if (member.isFile()) {
                    unpack(member.name(), tar.content(member));
                } else if (!member.isFolder()) {
                    throw new IOException(archive + ": members must be files and folders but " + member.name()
                            + " is a link or device");
                }
            }
        }
    }

    private void unpack(String name, InputStream in) throws IOException {
        if (++members > MAX_MEMBERS) {
            throw new IOException(archive + ": may have " + MAX_MEMBERS + " members but has more");
        }
        if (!name.contains(wanted)) {
            return;
        }
        Path target;
        try {
            target = folder.resolve(name.substring(name.indexOf('/') + 1)).normalize();
        } catch (InvalidPathException e) {
            throw new IOException(archive + ": member " + name + " has no valid name", e);
        }
        if (!target.startsWith(folder) || target.equals(folder)) {
            throw new IOException(archive + ": members must stay within the folder but " + name + " leads out of it");
        }
        unpacked++;
        Files.createDirectories(target.resolveSibling(".").normalize());
        try (OutputStream out = Files.newOutputStream(target)) {
            byte[] buffer = new byte[1 << 16];
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                bytes += count;
                if (bytes > MAX_BYTES) {
                    throw new IOException(archive + ": may unpack to " + MAX_BYTES + " bytes but holds more");
                }
                write(out, buffer, count, target);
            }
        }
    }

    /** Not the archive is to blame for a full disk. */
    private void write(OutputStream out, byte[] buffer, int count, Path target) throws IOException {
        try {
            out.write(buffer, 0, count);
        } catch (IOException e) {
            throw new IOException(
                    archive + ": cannot be unpacked: " + target + " could not be written (" + e.getMessage()
                            + "). Maybe the disk is full.",
                    e);
        }
    }
}
