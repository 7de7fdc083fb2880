package ai.wood.data;

import ai.wood.Seed;
import ai.wood.data.transform.Crop;
import ai.wood.data.transform.Fit;
import ai.wood.data.transform.Invert;
import ai.wood.data.transform.Resize;
import ai.wood.data.transform.Transform;
import ai.wood.data.transform.Transpose;
import ai.wood.io.Input;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;

/**
 * The datasets that every installation has.
 *
 * <p>The first six are those of the paper's Table 1; the others serve as OOD that training never saw. Families follow
 * OpenOOD 1.5 where it has the pair: grey glyphs and things on an empty ground are one, images of objects another.
 *
 * @see <a href="https://arxiv.org/abs/2306.09301">Zhang and others, 2023</a>
 */
public final class BuiltInDatasets implements DatasetProvider {

    private static final Shape GREY = Shape.GREY_28;
    private static final Shape COLOUR = Shape.COLOUR_32;
    private static final String GLYPHS = "glyphs";
    private static final String OBJECTS = "objects";
    private static final String RESEARCH = "research use";
    /** For the service loader. */
    public BuiltInDatasets() {}

    @Override
    public List<DatasetEntry> datasets() {
        return List.of(
                mnist(),
                fashionMnist(),
                cifar10(),
                svhn(),
                tinyImageNet("tiny-imagenet-r")
                        .readBy((files, split) -> ArrayDataset.copyOf(
                                TransformedDataset.of(tinyImageNet(files, split), new Resize(32, 32)))),
                tinyImageNet("tiny-imagenet-c")
                        .readBy((files, split) -> new TransformedDataset(
                                "tiny-imagenet-c",
                                ArrayDataset.copyOf(tinyImageNet(files, split)),
                                Crop.random(32, 32),
                                new Seed(0))),
                cifar100(),
                emnistLetters(),
                notMnist(),
                omniglot(),
                usps(),
                textures(),
                bundled("mnist-small", 10_000, "CC BY-SA 3.0", KnownClasses.DIGITS),
                bundled("fashion-mnist-small", 6_000, "MIT", KnownClasses.FASHION));
    }

    private static DatasetEntry mnist() {
        return likeMnist(
                        "mnist",
                        "https://ossci-datasets.s3.amazonaws.com/mnist/",
                        List.of(
                                "f68b3c2dcbeaaa9fbdd348bbdeb94873",
                                "d53e105ee54ea40749a09fcbcd1e9432",
                                "9fb629c4189551a2d022fa330f9573f3",
                                "ec29112dd5afa0611ce80d1b7f02629c"))
                .licence("CC BY-SA 3.0")
                .readBy(idx(Labels.of(KnownClasses.DIGITS)));
    }

    private static DatasetEntry fashionMnist() {
        return likeMnist(
                        "fashion-mnist",
                        "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
                        List.of(
                                "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
                                "25c81989df183df01b3e8a0aad5dffbe",
                                "bef4ecab320f06d8554ea6380940ec79",
                                "bb300cfdad3c16e7a12a480ee83cd310"))
                .licence("MIT")
                .readBy(idx(Labels.of(KnownClasses.FASHION)));
    }

    /** The four files of an MNIST-like dataset, with the MD5 sums of training images and labels, test images and labels. */
    private static DatasetEntry.Builder likeMnist(String name, String address, List<String> md5) {
        List<String> files = List.of(
                "train-images-idx3-ubyte",
                "train-labels-idx1-ubyte",
                "t10k-images-idx3-ubyte",
                "t10k-labels-idx1-ubyte");
        Download[] downloads = new Download[files.size()];
        for (int i = 0; i < downloads.length; i++) {
            downloads[i] = Download.file(address + files.get(i) + ".gz", md5.get(i));
        }
        return DatasetEntry.named(name, GREY, 10)
                .family(GLYPHS)
                .train(60_000, files.get(0), files.get(1))
                .test(10_000, files.get(2), files.get(3))
                .from(downloads);
    }

    private static DatasetEntry cifar10() {
        return DatasetEntry.named("cifar10", COLOUR, 10)
                .family(OBJECTS)
                .licence(RESEARCH)
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
                        ".bin"))
                .readBy((files, split) -> CifarBinary.read10(files, KnownClasses.CIFAR10));
    }

    private static DatasetEntry svhn() {
        return DatasetEntry.named("svhn", COLOUR, 10)
                .family("house-numbers")
                .licence(RESEARCH)
                .train(73_257, "train_32x32.mat")
                .test(26_032, "test_32x32.mat")
                .from(
                        Download.file(
                                "http://ufldl.stanford.edu/housenumbers/train_32x32.mat",
                                "e26dedcc434d2e4c54c9b2d4a06d8373"),
                        Download.file(
                                "http://ufldl.stanford.edu/housenumbers/test_32x32.mat",
                                "eb5a983be6a315427106f1b164d9cef3"))
                .readBy((files, split) -> Mat5.read(files.get(0), Labels.svhn()));
    }

    private static DatasetEntry.Builder tinyImageNet(String name) {
        return DatasetEntry.named(name, COLOUR, 200)
                .folder("tiny-imagenet-200")
                .family(OBJECTS)
                .licence(RESEARCH)
                .train(100_000, "wnids.txt", "words.txt", "train")
                .split(Split.VALIDATION, 10_000, "wnids.txt", "words.txt", "val/images", "val/val_annotations.txt")
                .test(10_000, "wnids.txt", "test/images")
                .from(Download.archive(
                        "http://cs231n.stanford.edu/tiny-imagenet-200.zip", "90528d7ca1a48142e341f4ef8d21d0de", ""));
    }

    private static Dataset tinyImageNet(List<Path> files, Split split) throws IOException {
        return TinyImageNet.open(files.get(0).resolveSibling(""), split);
    }

    private static DatasetEntry cifar100() {
        return DatasetEntry.named("cifar100", COLOUR, 100)
                .family(OBJECTS)
                .licence(RESEARCH)
                .train(50_000, "train.bin")
                .test(10_000, "test.bin")
                .from(Download.archive(
                        "https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz",
                        "03b5dce01913d631647c71ecec9e9cb8",
                        ".bin"))
                .readBy((files, split) -> CifarBinary.read100(files, KnownClasses.CIFAR100));
    }

    private static DatasetEntry emnistLetters() {
        DatasetEntry.SplitReader letters = idx(Labels.fromOne(KnownClasses.LETTERS));
        return DatasetEntry.named("emnist-letters", GREY, 26)
                .family(GLYPHS)
                .licence("public domain")
                .train(124_800, "emnist-letters-train-images-idx3-ubyte", "emnist-letters-train-labels-idx1-ubyte")
                .test(20_800, "emnist-letters-test-images-idx3-ubyte", "emnist-letters-test-labels-idx1-ubyte")
                .from(Download.archive(
                        "https://biometrics.nist.gov/cs_links/EMNIST/gzip.zip",
                        "58c8d27c78d21e728a6bc7b3cc06412e",
                        "emnist-letters"))
                .readBy((files, split) ->
                        ArrayDataset.copyOf(TransformedDataset.of(letters.read(files, split), new Transpose())));
    }

    private static DatasetEntry notMnist() {
        return DatasetEntry.named("notmnist", GREY, 10)
                .family(GLYPHS)
                .licence(RESEARCH)
                .test(10_000, "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")
                .from(plain(
                        "https://raw.githubusercontent.com/davidflanagan/notMNIST-to-MNIST/master/",
                        "t10k-images-idx3-ubyte.gz",
                        "t10k-labels-idx1-ubyte.gz"))
                .readBy(idx(Labels.of(KnownClasses.LETTERS.subList(0, 10))));
    }

    private static DatasetEntry omniglot() {
        return DatasetEntry.named("omniglot", GREY, 242)
                .family(GLYPHS)
                .licence("MIT")
                .test(4_840, "images_background_small1.zip", "images_background_small2.zip")
                .from(plain(
                        "https://raw.githubusercontent.com/brendenlake/omniglot/master/python/",
                        "images_background_small1.zip",
                        "images_background_small2.zip"))
                .readBy((files, split) -> ImageZip.read(files, GREY, Transform.of(new Fit(GREY), new Invert())));
    }

    private static DatasetEntry usps() {
        return DatasetEntry.named("usps", new Shape(1, 16, 16), 10)
                .family(GLYPHS)
                .licence(RESEARCH)
                .train(7_291, "zip.train.gz")
                .test(2_007, "zip.test.gz")
                .from(plain("https://hastie.su.domains/ElemStatLearn/datasets/", "zip.train.gz", "zip.test.gz"))
                .readBy((files, split) -> Usps.read(files.get(0)));
    }

    private static DatasetEntry textures() {
        return DatasetEntry.named("textures", COLOUR, 47)
                .family("textures")
                .licence(RESEARCH)
                .test(5_640, "images")
                .from(Download.archive(
                        "https://www.robots.ox.ac.uk/~vgg/data/dtd/download/dtd-r1.0.1.tar.gz",
                        "fff73e5086ae6bdbea199a49dfb8a4c1",
                        ".jpg"))
                .readBy((files, split) -> ArrayDataset.copyOf(ImageFolder.open(files.get(0), COLOUR)));
    }

    /**
     * A subset that is part of the library, so that a first training needs no download: class-balanced, chosen by seed
     * from the original's own training and test splits. The licence is next to the files.
     */
    private static DatasetEntry bundled(String name, int train, String licence, List<String> classes) {
        String folder = "bundled/" + name.replace("-small", "") + "/";
        return DatasetEntry.named(name, GREY, classes.size())
                .family(GLYPHS)
                .licence(licence)
                .train(train)
                .test(2_000)
                .readBy((files, split) -> {
                    String prefix = folder + (split == Split.TRAIN ? "train" : "t10k");
                    try (Input images = resource(prefix + "-images-idx3-ubyte.gz");
                            Input labels = resource(prefix + "-labels-idx1-ubyte.gz")) {
                        return Idx.read(images, labels, Labels.of(classes));
                    }
                });
    }

    private static Input resource(String name) throws IOException {
        InputStream stream = BuiltInDatasets.class.getResourceAsStream(name);
        if (stream == null) {
            throw new IOException(name + ": is missing from this build of the library");
        }
        return Input.of(stream, name, Integer.MAX_VALUE);
    }

    /** Two files without a published sum. */
    private static Download[] plain(String address, String first, String second) {
        return new Download[] {Download.file(address + first, null), Download.file(address + second, null)};
    }

    /** Images and labels in two IDX files. */
    private static DatasetEntry.SplitReader idx(Labels labels) {
        return (files, split) -> Idx.read(files.get(0), files.get(1), labels);
    }
}
