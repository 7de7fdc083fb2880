package ai.wood.io;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.HexFormat;

/** A stream that is hashed while it is read, and compared with the expected size and hash at its end. */
final class CheckedPart extends FilterInputStream {

    private final String path;
    private final DetectorJson.Part expected;
    private final MessageDigest digest = Sha256.digest();
    private long size;

    CheckedPart(InputStream in, String path, DetectorJson.Part expected) {
        super(in);
        this.path = path;
        this.expected = expected;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        int count = super.read(into, offset, length);
        if (count > 0) {
            digest.update(into, offset, count);
            size += count;
        }
        if (size > expected.size() || (count < 0 && !isExpected())) {
            throw new IOException(path + ": its size or SHA-256 is not the one in " + DetectorJson.FILE
                    + ". It was changed or cut short. Make the detector again.");
        }
        return count;
    }

    private boolean isExpected() {
        try {
            MessageDigest soFar = (MessageDigest) digest.clone(); // the end may be reached more than once
            return size == expected.size()
                    && HexFormat.of().formatHex(soFar.digest()).equals(expected.sha256());
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("SHA-256 digests can be cloned", e);
        }
    }

    @Override
    public long skip(long count) throws IOException {
        return readNBytes((int) Math.min(count, 1 << 16)).length;
    }

    @Override
    public boolean markSupported() {
        return false;
    }
}
