package ai.wood.server;

import ai.wood.data.Image;
import ai.wood.data.ImageFile;
import ai.wood.data.TooCostlyException;
import ai.wood.io.Signature;
import ai.wood.server.ServerOptions.Limits;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.eclipse.jetty.http.MultiPart;
import org.eclipse.jetty.http.MultiPartFormData;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.content.ByteBufferContentSource;
import org.eclipse.jetty.util.Promise;
import org.jspecify.annotations.Nullable;

/** Takes the image out of a request: as its body, as the one part of a form, or in base64 within JSON. */
final class Intake {

    /** Media types of the images that are accepted. */
    private static final List<String> TYPES =
            List.of("image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp");

    private final Limits limits;

    Intake(Limits limits) {
        this.limits = limits;
    }

    /** The media type of a {@code Content-Type} header, in lower case and without parameters. */
    static String mediaType(@Nullable String contentType) {
        return contentType == null ? "" : contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    }

    /** Refuses, before the body is read, a type that holds no image. */
    static void check(@Nullable String contentType) {
        String type = mediaType(contentType);
        if (!TYPES.contains(type) && !type.equals("multipart/form-data") && !type.equals(HttpJson.CONTENT_TYPE)) {
            throw Problem.unsupported("the Content-Type must be " + String.join(", ", TYPES)
                    + ", multipart/form-data or " + HttpJson.CONTENT_TYPE);
        }
    }

    Image image(@Nullable String contentType, byte[] body) {
        String type = mediaType(contentType);
        if (type.equals(HttpJson.CONTENT_TYPE)) {
            return decode(base64(body));
        }
        if (contentType != null && type.equals("multipart/form-data")) {
            return decode(part(contentType, body));
        }
        if (!typeOf(body).equals(type)) {
            throw Problem.unsupported("the body is not " + type + " as its Content-Type says");
        }
        return decode(body);
    }

    /** The media type that the first bytes tell; empty for unknown ones. */
    private static String typeOf(byte[] image) {
        return Signature.of(image)
                .map(kind -> "image/" + kind.name().toLowerCase(Locale.ROOT))
                .orElse("");
    }

    private Image decode(byte[] image) {
        if (!TYPES.contains(typeOf(image))) {
            throw Problem.unsupported("an image must be one of " + String.join(", ", TYPES));
        }
        try {
            return ImageFile.read(image, "the image", limits.pixels());
        } catch (TooCostlyException e) {
            throw Problem.tooLarge(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw Problem.badRequest("the image is damaged");
        }
    }

    private static byte[] part(String contentType, byte[] body) {
        String boundary = boundary(contentType);
        MultiPartFormData.Parser parser = new MultiPartFormData.Parser(boundary);
        parser.setMaxMemoryFileSize(-1);
        parser.setMaxLength(-1);
        parser.setMaxParts(2);
        CompletableFuture<MultiPartFormData.Parts> parsed = new CompletableFuture<>();
        parser.parse(new ByteBufferContentSource(ByteBuffer.wrap(body)), Promise.Invocable.toPromise(parsed));
        try (MultiPartFormData.Parts parts = parsed.join()) {
            if (parts.size() != 1) {
                throw Problem.badRequest("a form must have one part, the image, but has " + parts.size());
            }
            ByteBuffer content = Content.Source.asByteBuffer(parts.get(0).getContentSource());
            byte[] bytes = new byte[content.remaining()];
            content.get(bytes);
            return bytes;
        } catch (CompletionException | IllegalStateException | IOException e) {
            throw Problem.badRequest("the form must have one part, the image, and be whole");
        }
    }

    private static String boundary(String contentType) {
        try {
            return Optional.ofNullable(MultiPart.extractBoundary(contentType))
                    .orElseThrow(() -> Problem.badRequest("multipart/form-data needs a boundary"));
        } catch (IllegalArgumentException e) { // quotes that do not close
            throw Problem.badRequest("the boundary of multipart/form-data is damaged");
        }
    }

    private static byte[] base64(byte[] body) {
        try (JsonParser parser = HttpJson.parser(body)) {
            if (parser.nextToken() == JsonToken.START_OBJECT
                    && "image".equals(parser.nextFieldName())
                    && parser.nextToken() == JsonToken.VALUE_STRING) {
                byte[] image = parser.getBinaryValue();
                if (parser.nextToken() == JsonToken.END_OBJECT && parser.nextToken() == null) {
                    return image;
                }
            }
        } catch (IOException e) {
            throw Problem.badRequest("the JSON is damaged, or its base64 is");
        }
        throw Problem.badRequest("the JSON must be {\"image\": \"...\"} with an image in base64");
    }
}
