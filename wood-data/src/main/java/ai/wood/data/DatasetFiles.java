package ai.wood.data;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The files of a split, all of which exist.
 *
 * @param folder the dataset's folder
 * @param all the files in the order of {@link Facts.Part#files}
 */
record DatasetFiles(Path folder, List<Path> all, Split split) {

    Path get(int index) {
        return all.get(index);
    }

    /** Images and labels in two IDX files. */
    ArrayDataset idx(Labels labels) throws IOException {
        return Idx.read(all.get(0), all.get(1), labels);
    }

    ImageFolder tinyImageNet() throws IOException {
        return TinyImageNet.open(folder, split);
    }
}
