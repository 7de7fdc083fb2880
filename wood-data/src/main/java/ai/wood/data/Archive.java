package ai.wood.data;

import ai.wood.io.Input;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.jspecify.annotations.Nullable;

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
        try (Input in = Input.open(archive);
                HeaderGuard guard = new HeaderGuard(in.stream());
                TarArchiveInputStream tar = new TarArchiveInputStream(guard, "UTF-8")) {
            for (TarArchiveEntry entry = next(tar, guard); entry != null; entry = next(tar, guard)) {
                if (!entry.isCheckSumOK()) {
                    throw new IOException(archive + ": the checksum of the header of " + entry.getName() + " differs");
                }
                boolean file = List.of(TarConstants.LF_NORMAL, TarConstants.LF_OLDNORM, TarConstants.LF_CONTIG)
                        .contains(entry.getLinkFlag());
                if (!entry.isDirectory() && (!file || entry.isSparse())) {
                    throw new IOException(archive + ": members must be files and folders but " + entry.getName()
                            + " is a link or device");
                }
                if (!entry.isDirectory()) {
                    unpack(entry.getName(), tar);
                }
                copy(tar, OutputStream.nullOutputStream(), folder);
            }
            guard.requireEnd();
        }
    }

    private static @Nullable TarArchiveEntry next(TarArchiveInputStream tar, HeaderGuard guard) throws IOException {
        guard.left = HeaderGuard.MAX_BYTES;
        guard.zeros = 0;
        TarArchiveEntry entry = tar.getNextEntry();
        guard.left = Long.MAX_VALUE;
        return entry;
    }

    /** Bounds what one member's headers can make the tar reader keep in memory, such as names. */
    private static final class HeaderGuard extends FilterInputStream {
        private static final int MAX_BYTES = 1 << 16;
        private static final int BLOCK = 512;
        private static final int MAX_PADDING = 1 << 20;

        private long left = Long.MAX_VALUE;
        private int zeros;

        HeaderGuard(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int at, int count) throws IOException {
            int got = super.read(into, at, count);
            int last = 0;
            while (last < got && into[at + got - 1 - last] == 0) {
                last++;
            }
            zeros = Math.min(BLOCK, last < got ? last : zeros + last);
            left -= Math.max(0, got);
            if (left < 0) {
                throw new IOException("the headers of a member may have at most " + MAX_BYTES + " bytes but have more");
            }
            return got;
        }

        /** Requires the empty block that ends an archive; reads the rest, so that a packed file's checksum is verified. */
        void requireEnd() throws IOException {
            if (zeros < BLOCK) {
                throw new EOFException("the archive ends without an end mark");
            }
            left = MAX_PADDING;
            transferTo(OutputStream.nullOutputStream());
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
            copy(in, out, target);
        }
    }

    private void copy(InputStream in, OutputStream out, Path target) throws IOException {
        byte[] buffer = new byte[1 << 16];
        for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
            bytes += count;
            if (bytes > MAX_BYTES) {
                throw new IOException(archive + ": may unpack to " + MAX_BYTES + " bytes but holds more");
            }
            write(out, buffer, count, target);
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
