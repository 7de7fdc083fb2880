package ai.wood.data;

import ai.wood.Names;
import ai.wood.io.Input;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/**
 * The subsets that travel with the library, so that a first training needs no download: class-balanced, chosen by seed
 * from the originals' own training and test splits. Licences stand beside the files.
 */
enum Bundled {
    MNIST(KnownClasses.DIGITS),
    FASHION_MNIST(KnownClasses.FASHION);

    private final List<String> classes;

    Bundled(List<String> classes) {
        this.classes = classes;
    }

    ArrayDataset read(Split split) throws IOException {
        String prefix = Names.of(this) + "/" + (split == Split.TRAIN ? "train" : "t10k");
        try (Input images = open(prefix + "-images-idx3-ubyte.gz");
                Input labels = open(prefix + "-labels-idx1-ubyte.gz")) {
            return Idx.read(images, labels, Labels.of(classes));
        }
    }

    private static Input open(String name) throws IOException {
        InputStream stream = Bundled.class.getResourceAsStream("bundled/" + name);
        if (stream == null) {
            throw new IOException("bundled/" + name + ": is missing from this build of the library");
        }
        return Input.of(stream, "bundled/" + name, Integer.MAX_VALUE);
    }
}
