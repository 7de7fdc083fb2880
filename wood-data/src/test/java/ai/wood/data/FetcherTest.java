package ai.wood.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FetcherTest {

    private static final byte[] BYTES =
            Fixtures.image(new ai.wood.data.Shape(1, 500, 500), 1).toArray();

    @TempDir
    Path folder;

    private HttpServer server;
    private final Map<String, byte[]> files = new ConcurrentHashMap<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private volatile int cutAfter = Integer.MAX_VALUE;
    private volatile boolean ranges = true;
    private volatile boolean stall;

    @BeforeEach
    @SuppressWarnings("AddressSelection")
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    /** Serves ranges, and cuts the connection after so many bytes, once. */
    private void answer(HttpExchange exchange) throws IOException {
        String range = exchange.getRequestHeaders().getFirst("Range");
        requests.add(exchange.getRequestURI().getPath() + (range == null ? "" : " " + range));
        byte[] bytes = files.get(exchange.getRequestURI().getPath());
        if (bytes == null) {
            exchange.sendResponseHeaders(404, -1);
            exchange.close();
            return;
        }
        int from = range == null || !ranges ? 0 : Integer.parseInt(range.replaceAll("\\D", ""));
        if (from >= bytes.length) {
            exchange.getResponseHeaders().set("Content-Range", "bytes */" + bytes.length);
            exchange.sendResponseHeaders(416, -1);
            exchange.close();
            return;
        }
        if (from > 0) {
            exchange.getResponseHeaders()
                    .set("Content-Range", "bytes " + from + "-" + (bytes.length - 1) + "/" + bytes.length);
        }
        exchange.sendResponseHeaders(from > 0 ? 206 : 200, bytes.length - from);
        int length = Math.min(bytes.length - from, cutAfter);
        cutAfter = Integer.MAX_VALUE;
        exchange.getResponseBody().write(bytes, from, length);
        if (stall) {
            stall = false;
            exchange.getResponseBody().flush();
            return; // the connection stays open and nothing more comes
        }
        exchange.close();
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
    }

    private Fetcher fetcher(URI... mirrors) {
        FetchOptions options = FetchOptions.DEFAULTS.withPause(Duration.ZERO).withMirrors(List.of(mirrors));
        return new Fetcher(folder, options, (file, done, total) -> {});
    }

    private static String md5(byte[] bytes) throws IOException {
        Path file = Files.createTempFile("wood", "md5");
        try {
            return Fetcher.md5(Files.write(file, bytes));
        } finally {
            Files.delete(file);
        }
    }

    private Download download(byte[] expected) throws IOException {
        return new Download(uri("/data/file.bin"), md5(expected), null);
    }

    @Test
    void fetchesAndVerifies() throws IOException, InterruptedException {
        files.put("/data/file.bin", BYTES);
        fetcher().fetch(download(BYTES), folder);
        assertThat(folder.resolve("file.bin")).hasBinaryContent(BYTES);
        assertThat(folder.resolve("file.bin.part")).doesNotExist();
        fetcher().fetch(download(BYTES), folder);
        assertThat(requests).hasSize(1);
    }

    @Test
    void goesOnWhereAConnectionWasCut() throws IOException, InterruptedException {
        files.put("/data/file.bin", BYTES);
        cutAfter = 100_000;
        fetcher().fetch(download(BYTES), folder);
        assertThat(folder.resolve("file.bin")).hasBinaryContent(BYTES);
        assertThat(requests).hasSize(2);
        assertThat(requests.get(1)).matches("/data/file.bin bytes=\\d+-").isNotEqualTo("/data/file.bin bytes=0-");
    }

    @Test
    void goesOnWhereAServerFellSilent() throws IOException, InterruptedException {
        files.put("/data/file.bin", BYTES);
        cutAfter = 100_000;
        stall = true;
        FetchOptions options = FetchOptions.DEFAULTS.withPause(Duration.ZERO).withTimeout(Duration.ofMillis(500));
        new Fetcher(folder, options, (file, done, total) -> {}).fetch(download(BYTES), folder);
        assertThat(folder.resolve("file.bin")).hasBinaryContent(BYTES);
        assertThat(requests).hasSizeGreaterThan(1);
    }

    @Test
    void goesOnFromWhatAnEarlierRunLeft() throws IOException, InterruptedException {
        files.put("/data/file.bin", BYTES);
        Files.write(folder.resolve("file.bin.part"), Arrays.copyOf(BYTES, 77_777));
        List<Long> progress = new ArrayList<>();
        new Fetcher(folder, FetchOptions.DEFAULTS, (file, done, total) -> {
                    assertThat(file).isEqualTo("file.bin");
                    assertThat(total).isEqualTo(BYTES.length);
                    progress.add(done);
                })
                .fetch(download(BYTES), folder);
        assertThat(folder.resolve("file.bin")).hasBinaryContent(BYTES);
        assertThat(requests).containsExactly("/data/file.bin bytes=77777-");
        assertThat(progress).isSorted().endsWith((long) BYTES.length);
    }

    @Test
    void beginsAnewWhereTheServerKnowsNoRanges() throws IOException, InterruptedException {
        files.put("/data/file.bin", BYTES);
        ranges = false;
        Files.write(folder.resolve("file.bin.part"), new byte[1000]);
        fetcher().fetch(download(BYTES), folder);
        assertThat(folder.resolve("file.bin")).hasBinaryContent(BYTES);
    }

    @Test
    void acceptsACompletePartialFile() throws IOException, InterruptedException {
        files.put("/data/file.bin", BYTES);
        Files.write(folder.resolve("file.bin.part"), BYTES);
        fetcher().fetch(download(BYTES), folder);
        assertThat(folder.resolve("file.bin")).hasBinaryContent(BYTES);
    }

    @Test
    void refusesAWrongChecksumAndKeepsNothing() throws IOException {
        files.put("/data/file.bin", BYTES);
        Download other = download(new byte[] {1});
        assertThatThrownBy(() -> fetcher().fetch(other, folder))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("MD5 must be " + other.md5() + " but is " + md5(BYTES));
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void beginsAnewWhereTheEarlierPartTurnsOutWrong() throws IOException, InterruptedException {
        files.put("/data/file.bin", BYTES);
        Files.write(folder.resolve("file.bin.part"), new byte[1000]);
        fetcher().fetch(download(BYTES), folder);
        assertThat(folder.resolve("file.bin")).hasBinaryContent(BYTES);
        assertThat(requests).containsExactly("/data/file.bin bytes=1000-", "/data/file.bin");
    }

    @Test
    void asksMirrorsFirstAndFallsBackToTheSource() throws IOException, InterruptedException {
        files.put("/data/file.bin", BYTES);
        Path cifar = Files.createDirectories(folder.resolve("cifar10"));
        fetcher(uri("/mirror"), uri("/other/")).fetch(download(BYTES), cifar);
        assertThat(requests).containsExactly("/mirror/cifar10/file.bin", "/other/cifar10/file.bin", "/data/file.bin");
        assertThat(cifar.resolve("file.bin")).hasBinaryContent(BYTES);
    }

    @Test
    void aMirrorThatLacksAFileLeavesWhatIsThereOfIt() throws IOException, InterruptedException {
        files.put("/data/file.bin", BYTES);
        Path cifar = Files.createDirectories(folder.resolve("cifar10"));
        Files.write(cifar.resolve("file.bin.part"), Arrays.copyOf(BYTES, 77_777));
        fetcher(uri("/mirror")).fetch(download(BYTES), cifar);
        assertThat(requests).containsExactly("/mirror/cifar10/file.bin bytes=77777-", "/data/file.bin bytes=77777-");
        assertThat(cifar.resolve("file.bin")).hasBinaryContent(BYTES);
    }

    @Test
    void aPartThatIsLargerThanTheFileIsFetchedAnew() throws IOException, InterruptedException {
        files.put("/data/file.bin", BYTES);
        Files.write(folder.resolve("file.bin.part"), Arrays.copyOf(BYTES, BYTES.length + 50));
        fetcher().fetch(new Download(uri("/data/file.bin"), null, null), folder);
        assertThat(folder.resolve("file.bin")).hasBinaryContent(BYTES);
    }

    @Test
    void saysOfEachAddressWhyItFailed() throws IOException {
        byte[] other = {1, 2, 3};
        files.put("/mirror/" + folder.getFileName() + "/file.bin", other);
        Download download = download(BYTES);
        assertThatThrownBy(() -> fetcher(uri("/mirror")).fetch(download, folder))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("but is " + md5(other))
                .hasMessageContaining(uri("/data/file.bin") + ": cannot be fetched: the server answers 404");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ftp://host/sets", "host/sets", "file:///sets", "https:///sets"})
    void refusesMirrorsThatCannotBeAsked(String address) {
        List<URI> mirrors = List.of(URI.create(address));
        assertThatThrownBy(() -> FetchOptions.DEFAULTS.withMirrors(mirrors))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("https://host/folder but is " + address);
    }

    @Test
    void saysExactlyWhichFilesToPutWhereWithoutNetwork() {
        URI nowhere = URI.create("http://127.0.0.1:1/");
        FetchOptions options = new FetchOptions(List.of(nowhere), 1, Duration.ZERO, Duration.ofSeconds(5));
        Fetcher fetcher = new Fetcher(folder, options, (file, done, total) -> {});
        assertThatThrownBy(() -> fetcher.fetch(unreachable(), folder)).isInstanceOf(IOException.class);
        assertThat(Fetcher.byHand(Catalogue.entry("mnist"), folder.resolve("mnist")))
                .contains("put into " + folder.resolve("mnist"))
                .contains("https://ossci-datasets.s3.amazonaws.com/mnist/train-images-idx3-ubyte.gz")
                .contains("t10k-labels-idx1-ubyte.gz");
        assertThat(Fetcher.byHand(Catalogue.entry("cifar10"), folder)).contains("(unpacked, without its first folder)");
    }

    private static Download unreachable() {
        return new Download(URI.create("http://127.0.0.1:1/x.bin"), null, null);
    }

    @Test
    void fetchesAWholeDatasetFromAMirrorAndReadsIt() throws IOException, InterruptedException {
        files.put("/m/notmnist/t10k-images-idx3-ubyte.gz", Fixtures.gzip(Fixtures.idxImages(10_000, 28, 28)));
        files.put("/m/notmnist/t10k-labels-idx1-ubyte.gz", Fixtures.gzip(Fixtures.idxLabels(new int[10_000])));
        fetcher(uri("/m")).fetch(Catalogue.entry("notmnist"));
        assertThat(new Catalogue(folder).open("notmnist", Split.TEST).size()).isEqualTo(10_000);
        int asked = requests.size();
        fetcher(uri("/m")).fetch(Catalogue.entry("notmnist"));
        assertThat(requests).hasSize(asked);
    }

    @Test
    void oneFetchesADatasetAtATime() throws IOException, InterruptedException {
        files.put("/m/notmnist/t10k-images-idx3-ubyte.gz", Fixtures.gzip(Fixtures.idxImages(10_000, 28, 28)));
        files.put("/m/notmnist/t10k-labels-idx1-ubyte.gz", Fixtures.gzip(Fixtures.idxLabels(new int[10_000])));
        FetchOptions options = FetchOptions.DEFAULTS.withMirrors(List.of(uri("/m")));
        Fetcher.DownloadListener meanwhile = (file, done, total) -> assertThatThrownBy(
                        () -> fetcher(uri("/m")).fetch(Catalogue.entry("notmnist")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(folder.resolve("notmnist") + ": is being fetched already")
                .hasMessageNotContaining("by hand");
        new Fetcher(folder, options, meanwhile).fetch(Catalogue.entry("notmnist"));
        assertThat(requests).hasSize(2);
        fetcher().fetch(Catalogue.entry("notmnist"));
        assertThat(requests).hasSize(2);
    }

    @Test
    void noticesThatAFetchedDatasetIsNotWhole() throws IOException {
        files.put("/m/notmnist/t10k-images-idx3-ubyte.gz", Fixtures.gzip(Fixtures.idxImages(7, 28, 28)));
        files.put("/m/notmnist/t10k-labels-idx1-ubyte.gz", Fixtures.gzip(Fixtures.idxLabels(new int[7])));
        assertThatThrownBy(() -> fetcher(uri("/m")).fetch(Catalogue.entry("notmnist")))
                .hasMessageContaining("must have 10000 samples but has 7");
    }

    @Test
    void unpacksArchivesWithoutTheirFirstFolder() throws IOException, InterruptedException {
        byte[] zip =
                Fixtures.zip("top/a/x.txt", new byte[] {1}, "top/y.txt", new byte[] {2}, "top/z.doc", new byte[] {3});
        files.put("/a.zip", zip);
        files.put("/b.tar.gz", tar("top/b/w.txt", TarConstants.LF_NORMAL));
        fetcher().fetch(new Download(uri("/a.zip"), md5(zip), ".txt"), folder);
        fetcher().fetch(new Download(uri("/b.tar.gz"), null, ""), folder);
        assertThat(folder.resolve("a/x.txt")).hasBinaryContent(new byte[] {1});
        assertThat(folder.resolve("y.txt")).hasBinaryContent(new byte[] {2});
        assertThat(folder.resolve("b/w.txt")).hasContent("hello");
        assertThat(folder.resolve("z.doc")).doesNotExist();
        assertThat(folder.resolve("a.zip")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"top/../../evil.txt", "top//etc/evil.txt", "../../evil.txt"})
    void refusesArchivesThatWriteElsewhere(String name) throws IOException {
        Path inner = Files.createDirectories(folder.resolve("inner/data"));
        Path zip = Files.write(folder.resolve("evil.zip"), Fixtures.zip(name, new byte[1]));
        Path tar = Files.write(folder.resolve("evil.tar.gz"), tar(name, TarConstants.LF_NORMAL));
        for (Path archive : List.of(zip, tar)) {
            assertThatThrownBy(() -> Archive.unpack(archive, inner, ""))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(archive.toString())
                    .hasMessageContaining("leads out of it");
        }
    }

    @Test
    void refusesLinksInArchives() throws IOException {
        Path tar = Files.write(folder.resolve("link.tar.gz"), tar("top/link", TarConstants.LF_SYMLINK));
        assertThatThrownBy(() -> Archive.unpack(tar, folder, "")).hasMessageContaining("is a link");
        Path damaged = Files.write(folder.resolve("damaged.tar.gz"), Fixtures.gzip(new byte[] {1, 2, 3}));
        assertThatThrownBy(() -> Archive.unpack(damaged, folder, "")).isInstanceOf(IOException.class);
    }

    static byte[] tar(String name, byte type) throws IOException {
        byte[] content = type == TarConstants.LF_NORMAL ? "hello".getBytes(StandardCharsets.US_ASCII) : new byte[0];
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (TarArchiveOutputStream out = new TarArchiveOutputStream(new GZIPOutputStream(bytes))) {
            TarArchiveEntry entry = new TarArchiveEntry(name, type, true);
            if (type == TarConstants.LF_SYMLINK) {
                entry.setLinkName("/etc/passwd");
            }
            entry.setSize(content.length);
            out.putArchiveEntry(entry);
            out.write(content);
            out.closeArchiveEntry();
        }
        return bytes.toByteArray();
    }
}
