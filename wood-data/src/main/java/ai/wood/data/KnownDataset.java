package ai.wood.data;

import ai.wood.Names;
import ai.wood.Seed;
import ai.wood.data.transform.Crop;
import ai.wood.data.transform.Fit;
import ai.wood.data.transform.Invert;
import ai.wood.data.transform.Resize;
import ai.wood.data.transform.Transform;
import ai.wood.data.transform.Transpose;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The datasets we know by name: what they hold, which files they are made of, where those come from, how to read them.
 *
 * <p>The first six are those of the paper's Table 1; the others serve as OOD that training never saw.
 */
public enum KnownDataset {
    MNIST(
            Facts.of("mnist", Shapes.GREY_28, 10, "CC BY-SA 3.0")
                    .train(60_000, "train-images-idx3-ubyte", "train-labels-idx1-ubyte")
                    .test(10_000, "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")
                    .from(Sources.idx(
                            "https://ossci-datasets.s3.amazonaws.com/mnist/",
                            "f68b3c2dcbeaaa9fbdd348bbdeb94873",
                            "d53e105ee54ea40749a09fcbcd1e9432",
                            "9fb629c4189551a2d022fa330f9573f3",
                            "ec29112dd5afa0611ce80d1b7f02629c")),
            files -> files.idx(Labels.of(KnownClasses.DIGITS))),
    FASHION_MNIST(
            Facts.of("fashion-mnist", Shapes.GREY_28, 10, "MIT")
                    .train(60_000, "train-images-idx3-ubyte", "train-labels-idx1-ubyte")
                    .test(10_000, "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")
                    .from(Sources.idx(
                            "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
                            "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
                            "25c81989df183df01b3e8a0aad5dffbe",
                            "bef4ecab320f06d8554ea6380940ec79",
                            "bb300cfdad3c16e7a12a480ee83cd310")),
            files -> files.idx(Labels.of(KnownClasses.FASHION))),
    CIFAR10(
            Facts.of("cifar10", Shapes.COLOUR_32, 10, "research use")
                    .train(
                            50_000,
                            "data_batch_1.bin",
                            "data_batch_2.bin",
                            "data_batch_3.bin",
                            "data_batch_4.bin",
                            "data_batch_5.bin")
                    .test(10_000, "test_batch.bin")
                    .from(Download.archive(
                            "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
                            "c32a1d4ab5d03f1284b67883e8d87530",
                            ".bin")),
            files -> CifarBinary.read10(files.all(), KnownClasses.CIFAR10)),
    SVHN(
            Facts.of("svhn", Shapes.COLOUR_32, 10, "research use")
                    .train(73_257, "train_32x32.mat")
                    .test(26_032, "test_32x32.mat")
                    .from(
                            Download.file(
                                    "http://ufldl.stanford.edu/housenumbers/train_32x32.mat",
                                    "e26dedcc434d2e4c54c9b2d4a06d8373"),
                            Download.file(
                                    "http://ufldl.stanford.edu/housenumbers/test_32x32.mat",
                                    "eb5a983be6a315427106f1b164d9cef3")),
            files -> Mat5.read(files.get(0), Labels.svhn())),
    TINY_IMAGENET_R(
            Facts.tinyImageNet(),
            files -> ArrayDataset.copyOf(TransformedDataset.of(files.tinyImageNet(), new Resize(32, 32)))),
    TINY_IMAGENET_C(
            Facts.tinyImageNet(),
            files -> new TransformedDataset(
                    "tiny-imagenet-c", ArrayDataset.copyOf(files.tinyImageNet()), Crop.random(32, 32), new Seed(0))),
    CIFAR100(
            Facts.of("cifar100", Shapes.COLOUR_32, 100, "research use")
                    .train(50_000, "train.bin")
                    .test(10_000, "test.bin")
                    .from(Download.archive(
                            "https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz",
                            "03b5dce01913d631647c71ecec9e9cb8",
                            ".bin")),
            files -> CifarBinary.read100(files.all(), KnownClasses.CIFAR100)),
    EMNIST_LETTERS(
            Facts.of("emnist-letters", Shapes.GREY_28, 26, "public domain")
                    .train(124_800, "emnist-letters-train-images-idx3-ubyte", "emnist-letters-train-labels-idx1-ubyte")
                    .test(20_800, "emnist-letters-test-images-idx3-ubyte", "emnist-letters-test-labels-idx1-ubyte")
                    .from(Download.archive(
                            "https://biometrics.nist.gov/cs_links/EMNIST/gzip.zip",
                            "58c8d27c78d21e728a6bc7b3cc06412e",
                            "emnist-letters")),
            files -> ArrayDataset.copyOf(
                    TransformedDataset.of(files.idx(Labels.fromOne(KnownClasses.LETTERS)), new Transpose()))),
    NOTMNIST(
            Facts.of("notmnist", Shapes.GREY_28, 10, "research use")
                    .test(10_000, "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")
                    .from(
                            Download.file(Sources.NOTMNIST + "t10k-images-idx3-ubyte.gz", null),
                            Download.file(Sources.NOTMNIST + "t10k-labels-idx1-ubyte.gz", null)),
            files -> files.idx(Labels.of(KnownClasses.LETTERS.subList(0, 10)))),
    OMNIGLOT(
            Facts.of("omniglot", Shapes.GREY_28, 242, "MIT")
                    .test(4_840, "images_background_small1.zip", "images_background_small2.zip")
                    .from(
                            Download.file(Sources.OMNIGLOT + "images_background_small1.zip", null),
                            Download.file(Sources.OMNIGLOT + "images_background_small2.zip", null)),
            files -> ImageZip.read(files.all(), Shapes.GREY_28, Transform.of(new Fit(Shapes.GREY_28), new Invert()))),
    USPS(
            Facts.of("usps", new Shape(1, 16, 16), 10, "research use")
                    .train(7_291, "zip.train.gz")
                    .test(2_007, "zip.test.gz")
                    .from(
                            Download.file(Sources.USPS + "zip.train.gz", null),
                            Download.file(Sources.USPS + "zip.test.gz", null)),
            files -> Usps.read(files.get(0))),
    TEXTURES(
            Facts.of("textures", Shapes.COLOUR_32, 47, "research use")
                    .test(5_640, "images")
                    .from(Download.archive(
                            "https://www.robots.ox.ac.uk/~vgg/data/dtd/download/dtd-r1.0.1.tar.gz",
                            "fff73e5086ae6bdbea199a49dfb8a4c1",
                            ".jpg")),
            files -> ArrayDataset.copyOf(ImageFolder.open(files.get(0), Shapes.COLOUR_32))),
    MNIST_SMALL(
            Facts.bundled("mnist-small", "CC BY-SA 3.0").train(10_000).test(2_000),
            files -> Bundled.MNIST.read(files.split())),
    FASHION_MNIST_SMALL(
            Facts.bundled("fashion-mnist-small", "MIT").train(6_000).test(2_000),
            files -> Bundled.FASHION_MNIST.read(files.split()));

    private final Facts facts;
    private final Reader reader;

    KnownDataset(Facts facts, Reader reader) {
        this.facts = facts;
        this.reader = reader;
    }

    /** Reads the files of a split. */
    @FunctionalInterface
    private interface Reader {
        Dataset read(DatasetFiles files) throws IOException;
    }

    /** The name used on the command line and in files: {@code fashion-mnist}. */
    public String id() {
        return Names.of(this);
    }

    public Facts facts() {
        return facts;
    }

    /** The dataset of that name. */
    public static KnownDataset byId(String id) {
        return Names.find("dataset", id, values(), KnownDataset::id);
    }

    /** Whether all files of the split are there, below the given data folder. */
    public boolean isPresent(Path data, Split split) {
        return facts.splits().containsKey(split)
                && facts.part(split).files().stream().allMatch(file -> Files.exists(file(data, file)))
                && unpacking(data).isEmpty();
    }

    /** An archive that is still there: it is deleted when all of it was unpacked. */
    private Optional<Path> unpacking(Path data) {
        return facts.downloads().stream()
                .filter(Download::isArchive)
                .map(download -> data.resolve(facts.folder()).resolve(download.fileName()))
                .filter(Files::exists)
                .findFirst();
    }

    /**
     * Reads a split from the files below the given data folder.
     *
     * @throws IOException where a file is missing or damaged
     * @throws IllegalArgumentException where the dataset has no such split
     */
    public Dataset open(Path data, Split split) throws IOException {
        List<Path> files =
                facts.part(split).files().stream().map(file -> file(data, file)).toList();
        for (Path file : files) {
            if (!Files.exists(file)) {
                throw new IOException(file + ": does not exist. Maybe run `wood data fetch " + id() + "`.");
            }
        }
        Optional<Path> archive = unpacking(data);
        if (archive.isPresent()) {
            throw new IOException(archive.get() + ": was not unpacked to the end. Maybe run `wood data fetch " + id()
                    + "`, which goes on with it.");
        }
        Dataset dataset;
        try {
            dataset = reader.read(new DatasetFiles(data.resolve(facts.folder()), files, split));
        } catch (UncheckedIOException e) { // from pictures decoded on several threads
            throw damaged(Objects.requireNonNull(e.getCause()));
        } catch (IOException e) {
            throw damaged(e);
        }
        return dataset instanceof ArrayDataset array ? array.withName(id()).withSplit(split) : dataset;
    }

    private IOException damaged(IOException cause) {
        return new IOException(
                cause.getMessage() + ". Maybe the file is damaged: delete it and run `wood data fetch " + id() + "`.",
                cause);
    }

    /** The file of that name, packed or not. */
    private Path file(Path data, String name) {
        Path plain = data.resolve(facts.folder()).resolve(name);
        Path packed = plain.resolveSibling(name + ".gz");
        return !Files.exists(plain) && Files.exists(packed) ? packed : plain;
    }
}
