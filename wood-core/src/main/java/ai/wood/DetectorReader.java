package ai.wood;

import java.io.IOException;
import java.nio.file.Path;

/** Opens detectors that were kept in files. {@link Detector#open} finds it among the services on the class path. */
public interface DetectorReader {

    /**
     * The detector of a file or folder; the caller closes it.
     *
     * @throws IOException where it holds none, naming the broken rule
     */
    Detector open(Path path) throws IOException;
}
