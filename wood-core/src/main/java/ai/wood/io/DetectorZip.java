package ai.wood.io;

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
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * A {@code .wood} file: a zip of a few parts that are stored without compression.
 *
 * <p>As nothing is compressed, nothing can swell: the parts together are no larger than the file. The directory is
 * measured before it is read, and names of parts are plain.
 */
final class DetectorZip implements DetectorFile.Container {

    /** What a zip without 64-bit extensions can hold. */
    private static final long MAX_BYTES = 0xFFFF_FFFFL;

    private static final int MAX_ENTRIES = 17;
    private static final int MAX_DIRECTORY = 1 << 14;
    private static final int END_BYTES = 22;
    private static final int END_MAGIC = 0x06054b50;
    private static final LocalDateTime NO_TIME = LocalDateTime.of(2000, 1, 1, 0, 0);

    private final Path file;
    private final ZipFile zip;
    private final Map<String, ZipEntry> entries = new TreeMap<>();

    private DetectorZip(Path file, ZipFile zip) throws IOException {
        this.file = file;
        this.zip = zip;
        for (ZipEntry entry : zip.stream().toList()) {
            add(entry);
        }
        if (entries.values().stream().mapToLong(ZipEntry::getSize).sum() > Files.size(file)) {
            throw new ZipException("the parts claim to be larger than the file");
        }
    }

    static DetectorZip open(Path file) throws IOException {
        requireDirectory(file);
        ZipFile zip = null;
        try {
            zip = new ZipFile(file.toFile());
            return new DetectorZip(file, zip);
        } catch (IOException | RuntimeException e) {
            if (zip != null) {
                zip.close();
            }
            throw new IOException(file + ": not a valid detector file: " + e.getMessage(), e);
        }
    }

    /** Refuses a directory that is large or does not end the file, before it is read into memory. */
    private static void requireDirectory(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new IOException(file + ": there is no detector. Name a .wood file or the folder of a run.");
        }
        try (FileChannel channel = FileChannel.open(file)) {
            ByteBuffer end = ByteBuffer.allocate(END_BYTES).order(ByteOrder.LITTLE_ENDIAN);
            channel.read(end, Math.max(0, channel.size() - END_BYTES));
            if (channel.size() > MAX_BYTES
                    || end.hasRemaining()
                    || end.getInt(0) != END_MAGIC
                    || end.getShort(20) != 0) {
                throw new IOException(
                        file + ": not a detector file, or cut short. Such a file is a zip of at most 4 GiB."
                                + " Make it again with 'wood calibrate' or 'wood bundle'.");
            }
            int count = end.getShort(10) & 0xFFFF;
            long directory = end.getInt(12) & 0xFFFF_FFFFL;
            if (count > MAX_ENTRIES || directory > MAX_DIRECTORY) {
                throw new IOException(file + ": a detector file has at most " + MAX_ENTRIES + " parts but this zip has "
                        + count + " entries in a directory of " + directory + " bytes. It is another kind of file.");
            }
        }
    }

    private void add(ZipEntry entry) throws IOException {
        String name = entry.getName();
        if (!DetectorJson.isPlain(name) || entries.put(name, entry) != null) {
            throw new ZipException("parts have plain names, each once, but one is called '" + name + "'");
        }
        if (entry.getMethod() != ZipEntry.STORED || entry.getSize() != entry.getCompressedSize()) {
            throw new ZipException("parts are stored without compression but '" + name + "' is compressed");
        }
    }

    @Override
    public void requireOnly(Set<String> names) throws IOException {
        Set<String> needed = new TreeSet<>(names);
        needed.add(DetectorJson.FILE);
        if (!needed.equals(entries.keySet())) {
            throw new IOException(file + ": the parts must be " + needed + " but are " + entries.keySet());
        }
    }

    @Override
    public InputStream open(String name) throws IOException {
        ZipEntry entry = entries.get(name);
        if (entry == null) {
            throw new IOException(
                    file + ": the detector needs the part " + name + " but the file has only " + entries.keySet());
        }
        return new CrcChecked(zip.getInputStream(entry), entry.getCrc());
    }

    /** A zip's reader does not compare the checksums of stored entries. */
    private final class CrcChecked extends CheckedInputStream {

        private final long expected;

        CrcChecked(InputStream in, long expected) {
            super(in, new CRC32());
            this.expected = expected;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            int count;
            try {
                count = super.read(into, offset, length);
            } catch (IOException e) {
                throw new IOException(file + ": not a valid detector file: " + e.getMessage(), e);
            }
            if (count < 0 && getChecksum().getValue() != expected) {
                throw new IOException(file + ": a checksum differs. The file was changed or damaged.");
            }
            return count;
        }
    }

    @Override
    public String path(String name) {
        return file + "!" + name;
    }

    @Override
    public void close() throws IOException {
        zip.close();
    }

    static void write(
            byte[] description, String fittedName, SafetensorsWriter fitted, Map<String, Path> files, Path file)
            throws IOException {
        AtomicFile.replace(file, channel -> {
            ZipOutputStream zip = new ZipOutputStream(Channels.newOutputStream(channel));
            put(zip, DetectorJson.FILE, out -> out.write(description));
            put(zip, fittedName, out -> fitted.writeTo(Channels.newChannel(out)));
            for (Map.Entry<String, Path> part : new TreeMap<>(files).entrySet()) {
                put(zip, part.getKey(), out -> Files.copy(part.getValue(), out));
            }
            zip.finish();
            if (channel.size() > MAX_BYTES) {
                throw new IOException("a detector file has at most 4 GiB but this one has " + channel.size()
                        + " bytes. Fit the scorer to fewer samples.");
            }
        });
    }

    private interface Content {
        void writeTo(OutputStream out) throws IOException;
    }

    /** A stored entry's size and checksum come before its bytes, so the content is produced twice. */
    private static void put(ZipOutputStream zip, String name, Content content) throws IOException {
        CRC32 crc = new CRC32();
        long[] size = {0};
        try (OutputStream out = new CheckedOutputStream(OutputStream.nullOutputStream(), crc) {
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                size[0] += length;
                super.write(bytes, offset, length);
            }
        }) {
            content.writeTo(out);
        }
        if (size[0] > MAX_BYTES) {
            throw new IOException("a detector file has at most 4 GiB but the part " + name + " has " + size[0]
                    + " bytes. Fit the scorer to fewer samples.");
        }
        ZipEntry entry = new ZipEntry(name);
        entry.setMethod(ZipEntry.STORED);
        entry.setTimeLocal(NO_TIME);
        entry.setSize(size[0]);
        entry.setCrc(crc.getValue());
        zip.putNextEntry(entry);
        content.writeTo(zip);
    }
}
