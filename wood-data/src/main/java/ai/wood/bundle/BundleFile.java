package ai.wood.bundle;

import ai.wood.io.AtomicFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * The file a bundle lies in: a zip of a few parts that are stored as they are, the same bytes for the same parts.
 *
 * <p>As nothing is compressed, nothing can swell: parts together are no larger than the file. The directory is measured
 * before it is read, names of parts are plain, and every part's checksum is compared.
 */
final class BundleFile {

    /** What a zip without 64-bit extensions can hold. */
    private static final long MAX_BYTES = 0xFFFF_FFFFL;

    private static final int MAX_ENTRIES = 17;
    private static final int MAX_DIRECTORY = 1 << 14;
    private static final int END_BYTES = 22;
    private static final int END_MAGIC = 0x06054b50;
    private static final LocalDateTime NO_TIME = LocalDateTime.of(2000, 1, 1, 0, 0);

    private BundleFile() {}

    /** Writes the description and all parts of a folder into one file. */
    static void pack(Path folder, DetectorDescription description, Path file) throws IOException {
        List<Path> parts = new ArrayList<>(List.of(folder.resolve(DetectorDescription.FILE)));
        long bytes = 0;
        for (String name : description.parts().keySet()) {
            parts.add(description.verified(folder, name));
            bytes += Files.size(folder.resolve(name));
        }
        if (bytes > MAX_BYTES - (1 << 25)) {
            throw new IOException(file + ": a bundle has at most 4 GiB but the parts have " + bytes
                    + " bytes. Maybe fit the scorer to fewer samples (--fit-limit).");
        }
        AtomicFile.replace(file, channel -> {
            ZipOutputStream zip = new ZipOutputStream(Channels.newOutputStream(channel));
            for (Path part : parts) {
                zip.putNextEntry(entry(part));
                Files.copy(part, zip);
            }
            zip.finish();
        });
    }

    private static ZipEntry entry(Path part) throws IOException {
        ZipEntry entry = new ZipEntry(part.getFileName().toString());
        try (CheckedInputStream in = new CheckedInputStream(Files.newInputStream(part), new CRC32())) {
            entry.setSize(in.transferTo(OutputStream.nullOutputStream()));
            entry.setCrc(in.getChecksum().getValue());
        }
        entry.setMethod(ZipEntry.STORED);
        entry.setTimeLocal(NO_TIME);
        return entry;
    }

    /**
     * Copies parts of a file to a folder. Hashes are left to whoever reads them.
     *
     * @param wanted which parts, by name
     * @throws IOException naming the file and the broken rule
     */
    static void unpack(Path file, Predicate<String> wanted, Path folder) throws IOException {
        requireDirectory(file);
        try (ZipFile zip = new ZipFile(file.toFile())) {
            List<? extends ZipEntry> entries = zip.stream().toList();
            Set<String> names = new TreeSet<>();
            for (ZipEntry entry : entries) {
                require(entry, names);
            }
            if (entries.stream().mapToLong(ZipEntry::getSize).sum() > Files.size(file)) {
                throw new ZipException("parts together are no larger than the file but claim to be");
            }
            for (ZipEntry entry : entries) {
                if (wanted.test(entry.getName())) {
                    copy(zip, entry, folder);
                }
            }
            requireParts(names, folder);
        } catch (IOException | RuntimeException e) {
            String message = String.valueOf(e.getMessage());
            throw new IOException(
                    message.contains(folder.toString())
                            ? message.replace(folder.toString(), file.toString())
                            : file + ": is no bundle, or no whole one: " + message,
                    e);
        }
    }

    /** A directory that is not small, or does not end the file, is none of ours and is not read into memory. */
    private static void requireDirectory(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new IOException(
                    file + ": a bundle (wood bundle makes one) or a run folder is needed but there is none");
        }
        try (FileChannel channel = FileChannel.open(file)) {
            ByteBuffer end = ByteBuffer.allocate(END_BYTES).order(ByteOrder.LITTLE_ENDIAN);
            channel.read(end, Math.max(0, channel.size() - END_BYTES));
            if (channel.size() > MAX_BYTES
                    || end.hasRemaining()
                    || end.getInt(0) != END_MAGIC
                    || end.getShort(20) != 0) {
                throw new IOException(
                        file + ": a bundle is a zip of at most 4 GiB but this file is not, or was cut short."
                                + " Maybe make it again with `wood bundle`.");
            }
            int entries = end.getShort(10) & 0xFFFF;
            long directory = end.getInt(12) & 0xFFFF_FFFFL;
            if (entries > MAX_ENTRIES || directory > MAX_DIRECTORY) {
                throw new IOException(file + ": a bundle has at most " + MAX_ENTRIES + " parts but this zip has "
                        + entries + " entries in a directory of " + directory
                        + " bytes. Maybe it is another kind of file.");
            }
        }
    }

    private static void require(ZipEntry entry, Set<String> names) throws IOException {
        String name = entry.getName();
        if (!DetectorDescription.isPlain(name) || !names.add(name)) {
            throw new ZipException("parts have plain names, each once, but one is called '" + name + "'");
        }
        if (entry.getMethod() != ZipEntry.STORED || entry.getSize() != entry.getCompressedSize()) {
            throw new ZipException("parts are stored, not compressed, but '" + name + "' is. Maybe use zip -0");
        }
    }

    private static void copy(ZipFile zip, ZipEntry entry, Path folder) throws IOException {
        try (InputStream in = zip.getInputStream(entry);
                CheckedInputStream checked = new CheckedInputStream(in, new CRC32())) {
            long size = Files.copy(checked, folder.resolve(entry.getName()));
            if (size != entry.getSize() || checked.getChecksum().getValue() != entry.getCrc()) {
                throw new ZipException("the checksum of '" + entry.getName() + "' differs. Maybe it was changed");
            }
        }
    }

    private static void requireParts(Set<String> names, Path folder) throws IOException {
        Set<String> needed =
                new TreeSet<>(DetectorDescription.read(folder).parts().keySet());
        needed.add(DetectorDescription.FILE);
        if (!needed.equals(names)) {
            throw new ZipException("the parts must be " + needed + " but are " + names);
        }
    }
}
