package ai.wood.lab;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import ai.wood.Seed;
import ai.wood.data.Image;
import ai.wood.data.ImageFile;
import ai.wood.data.Shape;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;

/** A request that no honest client sends, and how a server may answer it. */
final class Attack {

    private static final int SOCKET_TIMEOUT = 60_000;

    private final String name;
    private final byte[] start;
    private final byte[] more;
    private final int repeats;
    private final long pauseMillis;
    private final Set<Integer> expected;

    private Attack(String name, byte[] start, byte[] more, int repeats, long pauseMillis, Set<Integer> expected) {
        this.name = name;
        this.start = start;
        this.more = more;
        this.repeats = repeats;
        this.pauseMillis = pauseMillis;
        this.expected = expected;
    }

    private static Attack of(String name, byte[] request, Integer... expected) {
        return new Attack(name, request, new byte[0], 0, 0, Set.of(expected));
    }

    /**
     * All kinds in turn, each time with other random bytes.
     *
     * @param detector name of a detector that judges images
     */
    public static List<Attack> drill(String detector, int count, Seed seed) {
        List<Attack> drill = new ArrayList<>();
        for (int round = 0; drill.size() < count; round++) {
            drill.addAll(round(detector, seed.at(round).random()));
        }
        return List.copyOf(drill.subList(0, count));
    }

    private static List<Attack> round(String detector, SplittableRandom random) {
        String judge = "/v1/judge?detector=" + detector;
        String infer = "/v2/models/" + detector + "/infer";
        byte[] png = picture(random);
        byte[] cut = Arrays.copyOf(png, random.nextInt(9, png.length - 20));
        byte[] flipped = png.clone();
        for (int i = 0; i < 5; i++) {
            flipped[random.nextInt(8, png.length)] = (byte) random.nextInt(256);
        }
        byte[] noise = new byte[random.nextInt(1, 5000)];
        random.nextBytes(noise);
        return List.of(
                of("picture cut short", post(judge, "image/png", cut), 400),
                of("picture with flipped bytes", post(judge, "image/png", flipped), 200, 400, 413),
                of("60,000 x 60,000 pixels in a header", post(judge, "image/png", header(60_000, 60_000)), 413),
                of("65,535 x 300 pixels in a header", post(judge, "image/png", header(65_535, 300)), 413),
                of("noise said to be a picture", post(judge, "image/jpeg", noise), 415),
                of("empty picture", post(judge, "image/png", new byte[0]), 415),
                of("gzip said to be a picture", post(judge, "image/png", bomb()), 415),
                of("gzip bomb", post(judge, "image/png\r\nContent-Encoding: gzip", bomb()), 415),
                of("type that is none", post(judge, "text/html", png), 415),
                of("type missing", request("POST", judge, "Content-Length: 3", "abc"), 415),
                of("form without an end", post(judge, "multipart/form-data; boundary=b", noise), 400),
                of("form with half a boundary", post(judge, "multipart/form-data; boundary=\"b", noise), 400),
                of("form without a boundary", post(judge, "multipart/form-data", noise), 400),
                of("base64 that is none", post(judge, "application/json", text("{\"image\": \"%%%\"}")), 400),
                of("JSON of the wrong kind", post(infer, "application/json", text("{\"inputs\": \"x\"}")), 400),
                of("JSON nested deeply", post(infer, "application/json", text("[".repeat(100_000))), 400),
                of("JSON with numbers for ever", post(infer, "application/json", numbers(1 << 20)), 400),
                of("shape that overflows", post(infer, "application/json", overflow()), 400),
                of(
                        "gigabyte announced",
                        request("POST", infer, "Content-Type: application/json\r\nContent-Length: 1073741824", ""),
                        413),
                chunksForEver(infer),
                slow(judge),
                of(
                        "length below nothing",
                        request("POST", judge, "Content-Type: image/png\r\nContent-Length: -5", ""),
                        400),
                of("two lengths", request("POST", judge, "Content-Length: 4\r\nContent-Length: 9", "abcd"), 400),
                of("headers for ever", request("GET", "/", "A: " + "a".repeat(50_000), ""), 431),
                of("no request at all", text("\u0016\u0003\u0001\u0002\r\n\r\n"), 400),
                of("path out of the page", request("GET", "/page/../../../etc/passwd", "A: b", ""), 400, 404),
                of(
                        "path out of the page, hidden",
                        request("GET", "/page/%2e%2e%2f%2e%2e%2fpom.xml", "A: b", ""),
                        400,
                        404),
                of("detector that is none", post("/v1/judge?detector=%00%0a<script>", "image/png", png), 400, 404),
                of("method that is none", request("BREW", judge, "Content-Length: 0", ""), 400, 404, 405, 501));
    }

    private static Attack slow(String path) {
        byte[] head = request("POST", path, "Content-Type: image/png\r\nContent-Length: 5000", "");
        return new Attack("body that drips", head, new byte[] {1}, 600, 100, Set.of(408));
    }

    private static Attack chunksForEver(String path) {
        byte[] head = request("POST", path, "Content-Type: application/json\r\nTransfer-Encoding: chunked", "");
        byte[] chunk = text("10000\r\n" + "1,".repeat(1 << 15) + "\r\n");
        return new Attack("chunks for ever", head, chunk, 4096, 0, Set.of(413));
    }

    private static byte[] text(String text) {
        return text.getBytes(ISO_8859_1);
    }

    private static byte[] request(String method, String path, String headers, String body) {
        return text(
                method + " " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + headers + "\r\n\r\n" + body);
    }

    private static byte[] post(String path, String type, byte[] body) {
        byte[] head = request("POST", path, "Content-Type: " + type + "\r\nContent-Length: " + body.length, "");
        return ByteBuffer.allocate(head.length + body.length)
                .put(head)
                .put(body)
                .array();
    }

    private static byte[] picture(SplittableRandom random) {
        Shape shape = new Shape(3, 20, 20);
        byte[] values = new byte[shape.length()];
        random.nextBytes(values);
        return ImageFile.png(Image.of(shape, values));
    }

    /** A PNG that ends behind its header. */
    private static byte[] header(int width, int height) {
        ByteBuffer chunk =
                ByteBuffer.allocate(17).put(text("IHDR")).putInt(width).putInt(height);
        chunk.put(new byte[] {8, 2, 0, 0, 0});
        CRC32 crc = new CRC32();
        crc.update(chunk.array());
        ByteBuffer png =
                ByteBuffer.allocate(33).put(text("\u0089PNG\r\n\u001a\n")).putInt(13);
        return png.put(chunk.array()).putInt((int) crc.getValue()).array();
    }

    /** A megabyte of zeros in a kilobyte. */
    private static byte[] bomb() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(new byte[1 << 20]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static byte[] numbers(int count) {
        return text("{\"inputs\": [{\"name\": \"image\", \"data\": [" + "0,".repeat(count) + "0]}]}");
    }

    private static byte[] overflow() {
        return text("{\"inputs\": [{\"name\": \"image\", \"datatype\": \"UINT8\","
                + " \"shape\": [2147483647, 2147483647, 2147483647, 2147483647], \"data\": [1]}]}");
    }

    /**
     * Attacks a server on this machine.
     *
     * @return what was wrong with its answer; empty where it was as expected
     */
    public String on(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(SOCKET_TIMEOUT);
            send(socket);
            byte[] answer = new byte[12];
            int count = socket.getInputStream().readNBytes(answer, 0, answer.length);
            String line = new String(answer, 0, count, ISO_8859_1);
            boolean fine = expected.stream().anyMatch(code -> line.equals("HTTP/1.1 " + code));
            return fine ? "" : name + ": expected " + expected + " but got '" + line + "'";
        } catch (IOException e) {
            return name + ": " + e;
        }
    }

    /** Stops to send when an answer is there or the server has hung up. */
    private void send(Socket socket) throws IOException {
        socket.getOutputStream().write(start);
        try {
            for (int i = 0; i < repeats && socket.getInputStream().available() == 0; i++) {
                socket.getOutputStream().write(more);
                Thread.sleep(pauseMillis);
            }
        } catch (SocketException e) {
            // the answer may have come before
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
