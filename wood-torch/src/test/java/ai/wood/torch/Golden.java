package ai.wood.torch;

import ai.wood.io.Safetensors;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Assumptions;

/** Finds reference files: the bundled ones, and the larger ones that only some machines have. */
public final class Golden {

    private Golden() {}

    public static Path path(String name) {
        try {
            return Path.of(Objects.requireNonNull(Golden.class.getResource("golden/" + name), name)
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    public static Safetensors open(String name) throws IOException {
        return Safetensors.open(path(name));
    }

    /** A file below the folder that an environment variable names; the test is skipped where there is none. */
    public static Path external(String variable, String name) {
        String folder = System.getenv(variable);
        Assumptions.assumeTrue(folder != null, () -> variable + " is not set, so " + name + " cannot be found");
        Path path = Path.of(Objects.requireNonNull(folder), name);
        Assumptions.assumeTrue(Files.exists(path), () -> path + " does not exist");
        return path;
    }
}
