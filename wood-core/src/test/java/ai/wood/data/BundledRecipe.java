package ai.wood.data;

import ai.wood.Dataset;
import ai.wood.Seed;
import ai.wood.Split;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Makes the bundled subsets from the full originals: {@code BundledRecipe OUT}, with WOOD_DATA set. Run it again and the
 * same images come out.
 */
final class BundledRecipe {

    static final Seed SEED = new Seed(2026);

    private BundledRecipe() {}

    static Subset subset(KnownDataset original, Split split, int size) throws IOException {
        return Subset.random(original.open(Catalogue.at(null).data(), split), size, SEED);
    }

    public static void main(String[] args) throws IOException {
        for (KnownDataset original : new KnownDataset[] {KnownDataset.MNIST, KnownDataset.FASHION_MNIST}) {
            Path folder = Files.createDirectories(Path.of(args[0], original.id()));
            for (Split split : new Split[] {Split.TRAIN, Split.TEST}) {
                int size = KnownDataset.byId(original.id() + "-small")
                        .facts()
                        .part(split)
                        .size();
                Dataset subset = subset(original, split, size);
                String prefix = split == Split.TRAIN ? "train" : "t10k";
                Idx.write(
                        subset,
                        folder.resolve(prefix + "-images-idx3-ubyte.gz"),
                        folder.resolve(prefix + "-labels-idx1-ubyte.gz"));
            }
        }
    }
}
