package ai.wood.data;

import ai.wood.io.LockFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Fetches datasets: resumes what was cut off, verifies checksums, unpacks archives.
 *
 * <p>A file grows as {@code NAME.part} and gets its name only when it is complete and verified, so an interrupted fetch
 * leaves nothing that could be mistaken for data. One process at a time fetches into a folder; another one is refused. MD5
 * sums are those that the publishers or torchvision state.
 */
public final class Fetcher {

    /** The largest file that is fetched: twice the largest in the catalogue. */
    private static final long MAX_BYTES = 2L << 30;

    private static final int PARTIAL_CONTENT = 206;
    private static final int RANGE_NOT_SATISFIABLE = 416;

    private final Path data;
    private final FetchOptions options;
    private final DownloadListener progress;
    private final HttpClient client;

    /** Told about every piece that arrives. */
    @FunctionalInterface
    public interface DownloadListener {
        /**
         * Called often.
         *
         * @param total the size of the file in bytes, or -1 where the server does not say
         */
        void update(String file, long done, long total);
    }

    public Fetcher(Path data, FetchOptions options, DownloadListener progress) {
        this.data = data;
        this.options = options;
        this.progress = progress;
        this.client = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NORMAL)
                .connectTimeout(options.timeout())
                .build();
    }

    /**
     * Fetches what is missing of a dataset, and reads all of it once.
     *
     * @throws IOException where another process is at it; or where a file cannot be had: the message says which files to
     *     put where by hand
     */
    public void fetch(DatasetEntry dataset) throws IOException, InterruptedException {
        Path folder = data.resolve(dataset.folder());
        if (!isComplete(dataset)) {
            Files.createDirectories(folder);
            LockFile lock = LockFile.lock(
                    folder.resolve("fetch.lock"),
                    folder + ": is being fetched already. Maybe wait until that has ended.");
            try (lock) {
                fetchMissing(dataset, folder);
            }
        }
        for (Split split : dataset.splits().keySet()) {
            int size = dataset.open(data, split).size();
            int published = dataset.split(split).size();
            if (size != published) {
                throw new IOException(folder + ": the " + split + " split of " + dataset.name() + " must have "
                        + published + " samples but has " + size + ". Maybe remove its files and fetch them again.");
            }
        }
    }

    /** Looks again at what there is, now that nobody else fetches. */
    private void fetchMissing(DatasetEntry dataset, Path folder) throws IOException, InterruptedException {
        try {
            for (Download download : isComplete(dataset) ? List.<Download>of() : dataset.downloads()) {
                fetch(download, folder);
            }
        } catch (IOException e) {
            throw new IOException(e.getMessage() + "\n" + byHand(dataset, folder), e);
        }
    }

    private boolean isComplete(DatasetEntry dataset) {
        return dataset.splits().keySet().stream().allMatch(split -> dataset.isPresent(data, split));
    }

    static String byHand(DatasetEntry dataset, Path folder) {
        return "To do it by hand, put into " + folder.toAbsolutePath() + ":\n"
                + dataset.downloads().stream()
                        .map(download -> "  " + download.source()
                                + (download.isArchive() ? " (unpacked, without its first folder)" : ""))
                        .collect(Collectors.joining("\n"));
    }

    /** Fetches one file into a folder, and unpacks it there where it is an archive. */
    void fetch(Download download, Path folder) throws IOException, InterruptedException {
        Path file = folder.resolve(download.fileName());
        if (!Files.exists(file)) {
            Path part = folder.resolve(download.fileName() + ".part");
            fetchFromAnywhere(download, part, folder.getFileName() + "/" + download.fileName());
            Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
        }
        String members = download.members();
        if (members != null) {
            Archive.unpack(file, folder, members);
            Files.delete(file);
        }
    }

    private void fetchFromAnywhere(Download download, Path part, String below)
            throws IOException, InterruptedException {
        List<URI> addresses = new ArrayList<>();
        for (URI mirror : options.mirrors()) {
            addresses.add(URI.create(mirror + (mirror.toString().endsWith("/") ? "" : "/") + below));
        }
        addresses.add(download.source());
        Map<URI, IOException> failures = new LinkedHashMap<>(); // the last of each address
        for (URI address : addresses) {
            for (int attempt = 1; attempt <= options.attempts(); attempt++) {
                try {
                    boolean resumed = Files.exists(part);
                    fetchRest(address, part);
                    verify(download, part, address, resumed);
                    return;
                } catch (IOException e) {
                    failures.put(address, e);
                    if (!(e instanceof CutOffException)) {
                        break; // asking again would bring the same answer
                    }
                    Thread.sleep(attempt < options.attempts() ? options.pause().toMillis() : 0);
                }
            }
        }
        IOException failure = new IOException(failures.entrySet().stream()
                .map(failed -> failed.getKey() + ": cannot be fetched: "
                        + failed.getValue().getMessage())
                .collect(Collectors.joining("\n")));
        failures.values().forEach(failure::addSuppressed);
        throw failure;
    }

    /** A fetch that may succeed when it is tried again. */
    private static final class CutOffException extends IOException {
        CutOffException(String message) {
            super(message);
        }
    }

    /** Fetches what a partial file lacks. */
    private void fetchRest(URI address, Path part) throws IOException, InterruptedException {
        long have = Files.exists(part) ? Files.size(part) : 0;
        HttpRequest.Builder request = HttpRequest.newBuilder(address).timeout(options.timeout());
        if (have > 0) {
            request.header("Range", "bytes=" + have + "-");
        }
        HttpResponse<InputStream> response;
        try {
            response = client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        } catch (IOException e) {
            throw new CutOffException("no answer (" + e.getClass().getSimpleName() + ")");
        }
        try (InputStream in = response.body()) {
            int status = response.statusCode();
            if (status == RANGE_NOT_SATISFIABLE) {
                requireWhole(response, part, have);
                return; // nothing is lacking; the checksum will tell
            }
            boolean resumed = status == PARTIAL_CONTENT && starts(response, have);
            if (status == PARTIAL_CONTENT && !resumed) {
                Files.deleteIfExists(part); // such a server can only be asked for all of it
            }
            if (status != 200 && !resumed) {
                String message = "the server answers " + status;
                throw status >= 500 || status == PARTIAL_CONTENT
                        ? new CutOffException(message)
                        : new IOException(message);
            }
            append(
                    in,
                    part,
                    resumed ? have : 0,
                    response.headers().firstValueAsLong("Content-Length").orElse(-1));
        }
    }

    /** Refuses a part that is larger than the whole, where the server tells. */
    private static void requireWhole(HttpResponse<?> response, Path part, long have) throws IOException {
        String range = response.headers().firstValue("Content-Range").orElse("");
        if (range.startsWith("bytes */") && !range.equals("bytes */" + have)) {
            Files.delete(part);
            throw new CutOffException("there were " + have + " bytes already but the server says " + range);
        }
    }

    private static boolean starts(HttpResponse<?> response, long at) {
        return response.headers()
                .firstValue("Content-Range")
                .filter(range -> range.startsWith("bytes " + at + "-"))
                .isPresent();
    }

    private void append(InputStream in, Path part, long have, long length) throws IOException {
        long total = length < 0 ? -1 : have + length;
        if (total > MAX_BYTES) {
            throw new IOException("a file may have " + MAX_BYTES + " bytes but this one has " + total);
        }
        StandardOpenOption mode = have > 0 ? StandardOpenOption.APPEND : StandardOpenOption.TRUNCATE_EXISTING;
        try (OutputStream out = Files.newOutputStream(part, StandardOpenOption.CREATE, StandardOpenOption.WRITE, mode);
                StallGuard guard = new StallGuard(in, options.timeout())) {
            byte[] buffer = new byte[1 << 16];
            long done = have;
            for (int count = read(in, buffer, done); count >= 0; count = read(in, buffer, done)) {
                guard.sign();
                out.write(buffer, 0, count);
                done += count;
                if (done > MAX_BYTES) {
                    throw new IOException("a file may have " + MAX_BYTES + " bytes but this one goes on");
                }
                progress.update(String.valueOf(part.getFileName()).replace(".part", ""), done, total);
            }
            if (guard.stalled() || done < total) {
                throw new CutOffException("cut off after " + done + " of " + total + " bytes");
            }
        }
    }

    private static int read(InputStream in, byte[] buffer, long done) throws CutOffException {
        try {
            return in.read(buffer);
        } catch (IOException e) {
            throw new CutOffException("cut off after " + done + " bytes (" + e.getMessage() + ")");
        }
    }

    private static void verify(Download download, Path part, URI address, boolean resumed) throws IOException {
        String expected = download.md5();
        String found = expected == null ? null : md5(part);
        if (found == null || found.equals(expected)) {
            return;
        }
        Files.delete(part);
        String message = "MD5 must be " + expected + " but is " + found + ". Maybe " + address.getHost()
                + " serves another version or an error page.";
        throw resumed ? new CutOffException(message) : new IOException(message);
    }

    static String md5(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            MessageDigest digest = MessageDigest.getInstance("MD5");
            byte[] buffer = new byte[1 << 16];
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                digest.update(buffer, 0, count);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has MD5", e);
        }
    }
}
