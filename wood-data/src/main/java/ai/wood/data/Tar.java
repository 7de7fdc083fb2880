package ai.wood.data;

import static java.nio.charset.StandardCharsets.UTF_8;

import ai.wood.io.Input;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The members of a tar archive, from front to back: POSIX and GNU headers, and the long names of both. Headers are
 * believed only where their checksum is right, and no member may claim more than can follow.
 */
final class Tar {

    private static final int BLOCK = 512;
    private static final int MAX_EXTRA = 1 << 16;
    private static final int MAX_PADDING = 1 << 20;

    private final Input in;
    private long unread; // of the member at hand, and what fills its last block

    Tar(Input in) {
        this.in = in;
    }

    /**
     * What a header says.
     *
     * @param type {@code 0} a file, {@code 5} a folder, others as POSIX has them
     */
    record Member(String name, char type, long size) {

        boolean isFolder() {
            return type == '5' || (isOrdinary() && name.endsWith("/"));
        }

        boolean isFile() {
            return isOrdinary() && !isFolder();
        }

        private boolean isOrdinary() {
            return type == '0' || type == 0 || type == '7';
        }
    }

    /** The next member, or null after the last. */
    @Nullable
    Member next() throws IOException {
        String longName = null;
        long longSize = -1;
        while (true) {
            in.skip(unread, "a member");
            unread = 0;
            byte[] header = in.read(BLOCK, "a tar header");
            if (isZero(header)) {
                in.skipRest(MAX_PADDING);
                return null;
            }
            requireChecksum(header);
            Member member = new Member(name(header), (char) (header[156] & 0xff), number(header, 124, 12));
            switch (member.type()) {
                case 'L' -> longName = text(extra(member), 0, (int) member.size());
                case 'x' -> {
                    String records = new String(extra(member), UTF_8);
                    longName = record(records, "path", longName);
                    String size = record(records, "size", null);
                    longSize = size == null ? longSize : parse(size, 10);
                }
                case 'g', 'K' -> extra(member); // for all members, or about links: nothing that is needed here
                default -> {
                    long size = longSize >= 0 ? longSize : member.size();
                    unread = size + padding(size);
                    return new Member(longName != null ? longName : member.name(), member.type(), size);
                }
            }
        }
    }

    /** What a member holds; to be read before the next one is asked for. */
    InputStream content(Member member) {
        return new InputStream() {
            private long left = member.size();

            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] into, int at, int count) throws IOException {
                if (left == 0) {
                    return -1;
                }
                int taken = (int) Math.min(count, left);
                in.read(into, at, taken, member.name());
                left -= taken;
                unread -= taken;
                return taken;
            }
        };
    }

    private byte[] extra(Member member) throws IOException {
        if (member.size() > MAX_EXTRA) {
            throw in.fail("a name must have at most " + MAX_EXTRA + " bytes but claims " + member.size());
        }
        byte[] content = in.read(member.size(), "a long name");
        in.skip(padding(member.size()), "a long name");
        return content;
    }

    private static long padding(long size) {
        return (BLOCK - size % BLOCK) % BLOCK;
    }

    private static boolean isZero(byte[] block) {
        return Arrays.equals(block, new byte[BLOCK]);
    }

    private void requireChecksum(byte[] header) throws IOException {
        int sum = 8 * ' '; // for the checksum itself
        for (int i = 0; i < BLOCK; i++) {
            sum += i >= 148 && i < 156 ? 0 : header[i] & 0xff;
        }
        if (sum != number(header, 148, 8)) {
            throw in.fail("a tar header must end here but its checksum differs");
        }
    }

    private static String name(byte[] header) {
        String name = text(header, 0, 100);
        boolean posix = text(header, 257, 6).equals("ustar") && header[262] == 0;
        String prefix = posix ? text(header, 345, 155) : "";
        return prefix.isEmpty() ? name : prefix + "/" + name;
    }

    /** Up to the first zero. */
    private static String text(byte[] bytes, int from, int length) {
        int end = from;
        while (end < from + length && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, from, end - from, UTF_8);
    }

    /** Octal digits, or eight bytes of a large number where the first bit is set. */
    private long number(byte[] header, int from, int length) throws IOException {
        if (header[from] >= 0) {
            String digits = text(header, from, length).strip();
            return digits.isEmpty() ? 0 : parse(digits, 8);
        }
        long value = 0;
        for (int i = from + length - Long.BYTES; i < from + length; i++) {
            value = (value << 8) | (header[i] & 0xff);
        }
        return positive(value);
    }

    private long parse(String digits, int radix) throws IOException {
        try {
            return positive(Long.parseLong(digits, radix));
        } catch (NumberFormatException e) {
            throw in.fail("a number is needed but found '" + digits + "'");
        }
    }

    private long positive(long value) throws IOException {
        if (value < 0 || value > Long.MAX_VALUE / 2) {
            throw in.fail("a size must not be negative or huge but is " + value);
        }
        return value;
    }

    /** The value of the last {@code length key=value} line with this key. */
    private static @Nullable String record(String records, String key, @Nullable String fallback) {
        String value = fallback;
        for (String line : records.lines().toList()) {
            int start = line.indexOf(' ') + 1;
            if (line.startsWith(key + "=", start)) {
                value = line.substring(start + key.length() + 1);
            }
        }
        return value;
    }
}
