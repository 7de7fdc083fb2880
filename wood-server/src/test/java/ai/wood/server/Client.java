package ai.wood.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Talks to a server on this machine. */
public final class Client {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final int port;

    public Client(int port) {
        this.port = port;
    }

    private HttpRequest.Builder request(String path, String... headers) {
        HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
        return headers.length == 0 ? builder : builder.headers(headers);
    }

    public HttpResponse<byte[]> get(String path, String... headers) throws IOException, InterruptedException {
        return http.send(request(path, headers).build(), BodyHandlers.ofByteArray());
    }

    HttpResponse<byte[]> head(String path) throws IOException, InterruptedException {
        return http.send(request(path).method("HEAD", BodyPublishers.noBody()).build(), BodyHandlers.ofByteArray());
    }

    public HttpResponse<byte[]> post(String path, String type, byte[] body, String... headers)
            throws IOException, InterruptedException {
        return http.send(posted(path, type, body, headers), BodyHandlers.ofByteArray());
    }

    public HttpResponse<byte[]> post(String path, String json) throws IOException, InterruptedException {
        return post(path, "application/json", json.getBytes(StandardCharsets.UTF_8));
    }

    CompletableFuture<HttpResponse<byte[]>> postLater(String path, String type, byte[] body) {
        return http.sendAsync(posted(path, type, body), BodyHandlers.ofByteArray());
    }

    private HttpRequest posted(String path, String type, byte[] body, String... headers) {
        return request(path, headers)
                .header("Content-Type", type)
                .POST(BodyPublishers.ofByteArray(body))
                .build();
    }

    Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(20_000);
        return socket;
    }

    /** Sends bytes as they are, part after part with pauses between, and returns all that comes back. */
    String raw(long pauseMillis, List<String> parts) throws IOException, InterruptedException {
        try (Socket socket = connect()) {
            for (String part : parts) {
                socket.getOutputStream().write(part.getBytes(StandardCharsets.ISO_8859_1));
                socket.getOutputStream().flush();
                Thread.sleep(pauseMillis);
            }
            ByteArrayOutputStream answer = new ByteArrayOutputStream();
            socket.getInputStream().transferTo(answer);
            return answer.toString(StandardCharsets.ISO_8859_1);
        }
    }

    static JsonNode json(HttpResponse<byte[]> response) {
        try {
            return JSON.readTree(response.body());
        } catch (IOException e) {
            throw new UncheckedIOException(new String(response.body(), StandardCharsets.ISO_8859_1), e);
        }
    }
}
