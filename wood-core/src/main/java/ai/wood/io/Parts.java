package ai.wood.io;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Named files that belong together: in a folder, or inside a detector file. */
public interface Parts {

    /**
     * Opens a part. Reading it to the end also checks it, if its hash is known.
     *
     * @throws IOException if there is no such part
     */
    InputStream open(String name) throws IOException;

    /** The path of a part, for messages. */
    String path(String name);

    /** The files of a folder, unchecked. */
    static Parts of(Path folder) {
        return new Parts() {
            @Override
            public InputStream open(String name) throws IOException {
                return Files.newInputStream(folder.resolve(name));
            }

            @Override
            public String path(String name) {
                return folder.resolve(name).toString();
            }
        };
    }
}
