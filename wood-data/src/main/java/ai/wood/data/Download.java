package ai.wood.data;

import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * A file to fetch.
 *
 * @param source its canonical public address
 * @param md5 its MD5 sum as published, in hexadecimal; null where none was: then the contents are checked by reading them
 * @param members what to take out of it: the part of a member's name that must occur, empty for all; null where the file
 *     is no archive. The first folder of the members' names is dropped.
 */
record Download(URI source, @Nullable String md5, @Nullable String members) {

    /** A file to be read as it is. */
    public static Download file(String source, @Nullable String md5) {
        return new Download(URI.create(source), md5, null);
    }

    /** An archive to be unpacked; for its members see {@link #members}. */
    public static Download archive(String source, String md5, String members) {
        return new Download(URI.create(source), md5, members);
    }

    /** The file's own name. */
    public String fileName() {
        String path = source.getPath();
        return path.substring(path.lastIndexOf('/') + 1);
    }

    public boolean isArchive() {
        return members != null;
    }
}
