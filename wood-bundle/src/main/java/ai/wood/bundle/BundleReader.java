package ai.wood.bundle;

import ai.wood.Detector;
import ai.wood.DetectorReader;
import java.io.IOException;
import java.nio.file.Path;

/** Lets {@link Detector#open} find {@link Bundle}. */
public final class BundleReader implements DetectorReader {

    @Override
    public Detector open(Path path) throws IOException {
        return Bundle.open(path).detector();
    }
}
