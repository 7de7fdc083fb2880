package ai.wood.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The served description of the server is true: every route is in it, and every answer fits it. */
class OpenApiTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonSchemaFactory SCHEMAS = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012);

    private static final String INFER =
            "{\"inputs\":[{\"name\":\"image\",\"shape\":[1,1,8,8],\"datatype\":\"UINT8\",\"data\":"
                    + java.util.Collections.nCopies(64, 20) + "}]}";

    /** Requests, one line each: method, path to ask for, path in the document, type, body. */
    private static final List<List<String>> REQUESTS = List.of(
            List.of("GET", "/", "/"),
            List.of("GET", "/page/page.js", "/page/{file}"),
            List.of("GET", "/page/page.css", "/page/{file}"),
            List.of("GET", "/page/nothing", "/page/{file}"),
            List.of("GET", "/openapi.json", "/openapi.json"),
            List.of("POST", "/v1/judge", "/v1/judge", "image/png", "broken"),
            List.of("POST", "/v1/judge?detector=none", "/v1/judge", "image/png", "broken"),
            List.of("POST", "/v1/judge-logits", "/v1/judge-logits", "application/json", "{\"logits\":[[1,2,3]]}"),
            List.of("POST", "/v1/detect", "/v1/detect", "application/json", "{\"logits\":[[1,2,3],[null,0,0]]}"),
            List.of("POST", "/v1/detect", "/v1/detect", "application/json", "{}"),
            List.of("GET", "/v1/detectors", "/v1/detectors"),
            List.of("GET", "/v1/detectors/light/scores", "/v1/detectors/{name}/scores"),
            List.of("GET", "/v1/samples/0", "/v1/samples/{index}"),
            List.of("GET", "/v1/samples/999", "/v1/samples/{index}"),
            List.of("GET", "/v1/drift", "/v1/drift"),
            List.of("POST", "/v1/drift/restart", "/v1/drift/restart", "application/json", ""),
            List.of("GET", "/metrics", "/metrics"),
            List.of("GET", "/v2", "/v2"),
            List.of("GET", "/v2/health/live", "/v2/health/live"),
            List.of("GET", "/v2/health/ready", "/v2/health/ready"),
            List.of("GET", "/v2/models/light", "/v2/models/{name}"),
            List.of("GET", "/v2/models/none", "/v2/models/{name}"),
            List.of("GET", "/v2/models/light/ready", "/v2/models/{name}/ready"),
            List.of("POST", "/v2/models/light/infer", "/v2/models/{name}/infer", "application/json", INFER),
            List.of("POST", "/v2/models/light/infer", "/v2/models/{name}/infer", "application/json", "{"));

    @Test
    void everyRouteIsDescribedAndEveryAnswerFits() throws Exception {
        try (DetectorServer server = DetectorServer.start(
                List.of(new Brightness().served("light")), ServerOptions.DEFAULTS.withAddress("127.0.0.1", 0))) {
            Client client = new Client(server.port());
            JsonNode document = Client.json(client.get("/openapi.json"));
            List<String> described = new ArrayList<>();
            document.path("paths")
                    .properties()
                    .forEach(path -> path.getValue()
                            .fieldNames()
                            .forEachRemaining(
                                    method -> described.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey())));
            assertThat(described).containsExactlyInAnyOrderElementsOf(server.paths());

            for (List<String> request : REQUESTS) {
                check(document, request, ask(client, request));
            }
            check(
                    document,
                    List.of("POST", "", "/v1/judge"),
                    client.post("/v1/judge", "image/png", Brightness.png(20)));
            assertThat(REQUESTS.stream().map(request -> request.get(0) + " " + request.get(2)))
                    .as("every route was asked")
                    .containsAll(server.paths());
        }
    }

    private static HttpResponse<byte[]> ask(Client client, List<String> request) throws Exception {
        return request.get(0).equals("GET")
                ? client.get(request.get(1))
                : client.post(request.get(1), request.get(3), request.get(4).getBytes(UTF_8));
    }

    private static void check(JsonNode document, List<String> request, HttpResponse<byte[]> response) throws Exception {
        JsonNode responses = document.path("paths")
                .path(request.get(2))
                .path(request.get(0).toLowerCase(Locale.ROOT))
                .path("responses");
        JsonNode described = Optional.ofNullable(responses.get(String.valueOf(response.statusCode())))
                .orElse(responses.path("default"));
        if (described.has("$ref")) {
            described = document.at(described.path("$ref").asText().substring(1));
        }
        String type =
                Intake.mediaType(response.headers().firstValue("content-type").orElse(null));
        JsonNode content = described.path("content").path(type);
        assertThat(content.isMissingNode())
                .as(request + " answers " + response.statusCode() + " " + type)
                .isFalse();
        if (type.endsWith("json")) {
            Map<String, JsonNode> root = Map.of(
                    "components",
                    document.path("components"),
                    "allOf",
                    JSON.createArrayNode().add(content.path("schema")));
            JsonSchema schema = SCHEMAS.getSchema(JSON.valueToTree(root));
            assertThat(schema.validate(Client.json(response)))
                    .as(request.toString())
                    .isEmpty();
        }
    }
}
