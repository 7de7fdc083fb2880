package ai.wood.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataCommandTest {

    @TempDir
    Path folder;

    private record Answer(int code, String out, String err) {}

    private Answer data(String command, String... rest) {
        String[] args = new String[4 + rest.length];
        args[0] = "data";
        args[1] = command;
        args[2] = "--data";
        args[3] = folder.toString();
        System.arraycopy(rest, 0, args, 4, rest.length);
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Main.run(new PrintWriter(out), new PrintWriter(err), args);
        return new Answer(code, out.toString(), err.toString());
    }

    /** An IDX file of zeros. */
    private static byte[] idx(int... extents) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(new GZIPOutputStream(bytes))) {
            out.writeInt(0x0800 + extents.length);
            int length = 1;
            for (int extent : extents) {
                out.writeInt(extent);
                length *= extent;
            }
            out.write(new byte[length]);
        }
        return bytes.toByteArray();
    }

    private void putNotMnist(int size) throws IOException {
        Path set = Files.createDirectories(folder.resolve("notmnist"));
        Files.write(set.resolve("t10k-images-idx3-ubyte.gz"), idx(size, 28, 28));
        Files.write(set.resolve("t10k-labels-idx1-ubyte.gz"), idx(size));
    }

    @Test
    void listsWhatIsThereAndWhatIsMissing() throws IOException {
        putNotMnist(7);
        Answer answer = data("list");
        assertThat(answer.code()).isZero();
        assertThat(answer.out()).contains("Data folder: " + folder);
        assertThat(line(answer, "cifar10 ")).contains("3x32x32", "10", "(50,000)", "(10,000)", "research use");
        assertThat(line(answer, "notmnist ")).contains(" 10,000 ").doesNotContain("(10,000)");
        assertThat(line(answer, "mnist-small ")).contains("bundled", "CC BY-SA 3.0");
        assertThat(line(data("list", "--check"), "notmnist ")).contains("7 of 10,000");
    }

    private static String line(Answer answer, String start) {
        return answer.out().lines().filter(l -> l.startsWith(start)).findFirst().orElse("");
    }

    @Test
    void listsForMachines() throws IOException {
        JsonNode root =
                new ObjectMapper().readTree(data("list", "--json", "--check").out());
        assertThat(root.at("/datasets/svhn/train/published").asInt()).isEqualTo(73_257);
        assertThat(root.at("/datasets/svhn/train/present").asBoolean()).isFalse();
        assertThat(root.at("/datasets/mnist-small/test/samples").asInt()).isEqualTo(2000);
        assertThat(root.at("/datasets/mnist-small/test/hash").asText()).hasSize(64);
    }

    @Test
    void showsAContactSheet() throws IOException {
        Path sheet = folder.resolve("sheet.png");
        Answer answer = data("show", "fashion-mnist-small", "--count", "30", "--out", sheet.toString());
        assertThat(answer.err()).isEmpty();
        assertThat(answer.out()).contains("fashion-mnist-small: 2,000 samples of 1x28x28, 10 classes, split test");
        BufferedImage picture = ImageIO.read(sheet.toFile());
        assertThat(picture.getWidth()).isEqualTo(10 * 70 + 6);
        assertThat(picture.getHeight()).isEqualTo(3 * 84 + 6);
        assertThat(data("show", "blobs", "--shape", "1x28x28", "--out", sheet.toString())
                        .out())
                .contains("1x28x28");
    }

    @Test
    void fetchesFromAMirror() throws IOException {
        byte[] images = idx(10_000, 28, 28);
        byte[] labels = idx(10_000);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/sets/notmnist/", exchange -> {
            byte[] bytes = exchange.getRequestURI().getPath().contains("images") ? images : labels;
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        try {
            String mirror = "http://127.0.0.1:" + server.getAddress().getPort() + "/sets";
            Answer answer = data("fetch", "notmnist", "--mirror", mirror);
            assertThat(answer.err()).isEmpty();
            assertThat(answer.out()).contains("notmnist: complete in " + folder.resolve("notmnist"));
            assertThat(line(data("list", "--check"), "notmnist ")).contains(" 10,000 ");
        } finally {
            server.stop(0);
        }
    }

    @Test
    void explainsMistakesInOneLine() {
        Answer unknown = data("show", "minst");
        assertThat(unknown.code()).isEqualTo(Main.BAD_INPUT);
        assertThat(unknown.err()).startsWith("wood: there is no dataset 'minst'. Did you mean mnist? There are mnist,");
        Answer missing = data("show", "cifar10");
        assertThat(missing.code()).isEqualTo(Main.BAD_INPUT);
        assertThat(missing.err())
                .contains("test_batch.bin")
                .contains("wood data fetch cifar10")
                .doesNotContain("\tat ");
        assertThat(data("fetch", "mnist-small").out()).contains("mnist-small: bundled");
        assertThat(data("fetch", "nothing").err()).contains("there is no dataset 'nothing'");
        assertThat(data("show", "blobs", "--shape", "3x32").err()).contains("such as 3x32x32");
        assertThat(data("show", "blobs", "--count", "0").err()).contains("--count");
    }
}
