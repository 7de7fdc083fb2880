package ai.wood.data;

/** Public addresses that several files share. */
final class Sources {

    static final String NOTMNIST = "https://raw.githubusercontent.com/davidflanagan/notMNIST-to-MNIST/master/";
    static final String OMNIGLOT = "https://raw.githubusercontent.com/brendenlake/omniglot/master/python/";
    static final String USPS = "https://hastie.su.domains/ElemStatLearn/datasets/";

    private Sources() {}

    /** The four files of an MNIST-like dataset, with their MD5 sums: training images and labels, test images and labels. */
    static Download[] idx(String base, String... md5) {
        return new Download[] {
            Download.file(base + "train-images-idx3-ubyte.gz", md5[0]),
            Download.file(base + "train-labels-idx1-ubyte.gz", md5[1]),
            Download.file(base + "t10k-images-idx3-ubyte.gz", md5[2]),
            Download.file(base + "t10k-labels-idx1-ubyte.gz", md5[3])
        };
    }
}
