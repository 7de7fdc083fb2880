package ai.wood.data;

import ai.wood.Seed;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/**
 * Makes the bundled subsets from the full originals: {@code BundledRecipe OUT}, with WOOD_DATA set. Run it again and the
 * same images come out.
 */
final class BundledRecipe {

    static final Seed SEED = new Seed(2026);

    /** An IDX magic number is this and the number of dimensions. */
    private static final int IDX_BYTES = 0x0800;

    private BundledRecipe() {}

    static Subset subset(String original, Split split, int size) throws IOException {
        return Subset.random(Catalogue.at(null).open(original, split), size, SEED);
    }

    public static void main(String[] args) throws IOException {
        for (String original : new String[] {"mnist", "fashion-mnist"}) {
            Path folder = Files.createDirectories(Path.of(args[0], original));
            for (Split split : new Split[] {Split.TRAIN, Split.TEST}) {
                int size = Catalogue.entry(original + "-small").split(split).size();
                Dataset subset = subset(original, split, size);
                String prefix = split == Split.TRAIN ? "train" : "t10k";
                write(
                        subset,
                        folder.resolve(prefix + "-images-idx3-ubyte.gz"),
                        folder.resolve(prefix + "-labels-idx1-ubyte.gz"));
            }
        }
    }

    /** Writes a dataset as two gzipped IDX files. */
    static void write(Dataset dataset, Path images, Path labels) throws IOException {
        Shape shape = dataset.shape();
        try (DataOutputStream imageOut = packed(images);
                DataOutputStream labelOut = packed(labels)) {
            imageOut.writeInt(IDX_BYTES + (shape.channels() == 1 ? 3 : 4));
            imageOut.writeInt(dataset.size());
            if (shape.channels() != 1) {
                imageOut.writeInt(shape.channels());
            }
            imageOut.writeInt(shape.height());
            imageOut.writeInt(shape.width());
            labelOut.writeInt(IDX_BYTES + 1);
            labelOut.writeInt(dataset.size());
            for (int i = 0; i < dataset.size(); i++) {
                Sample sample = dataset.get(i);
                if (sample.label() < 0 || sample.label() > 255) {
                    throw new IllegalArgumentException("an IDX label must be 0 to 255 but is " + sample.label());
                }
                imageOut.write(sample.image().toArray());
                labelOut.writeByte(sample.label());
            }
        }
    }

    private static DataOutputStream packed(Path file) throws IOException {
        return new DataOutputStream(new BufferedOutputStream(new BestGzip(Files.newOutputStream(file))));
    }

    /** Gzip at its best level. */
    private static final class BestGzip extends GZIPOutputStream {
        BestGzip(OutputStream out) throws IOException {
            super(out);
            def.setLevel(Deflater.BEST_COMPRESSION);
        }
    }
}
