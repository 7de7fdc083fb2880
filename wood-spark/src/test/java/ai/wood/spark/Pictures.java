package ai.wood.spark;

import ai.wood.data.Catalogue;
import ai.wood.data.Dataset;
import ai.wood.data.Image;
import ai.wood.data.ImageFile;
import ai.wood.data.Split;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;

/** Digits and clothes in files, and a detector that learnt the digits. */
final class Pictures {

    /** One pixel, as the WebP project's own encoder writes it. */
    private static final String WEBP = "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA";

    static final int EACH = 50;

    private Pictures() {}

    /** Trains a small network, with libtorch, and packs its detector. */
    static Path detector(Path folder) throws IOException, InterruptedException {
        Path run = folder.resolve("run");
        Program.wood(
                folder,
                "train",
                "train",
                "--out",
                run,
                "--network",
                "small-cnn",
                "--device",
                "cpu",
                "--ind",
                "mnist-small",
                "--loss",
                "plain",
                "--limit",
                800,
                "--epochs",
                1);
        Program.wood(folder, "calibrate", "calibrate", run, "--conformal", "--device", "cpu");
        Path bundle = folder.resolve("pictures.wood");
        Program.wood(folder, "bundle", "bundle", run, "-o", bundle);
        return bundle;
    }

    /** Writes good ones in two folders, a WebP one, and some that are none. */
    static Path write(Path folder) throws IOException {
        for (String name : new String[] {"mnist-small", "fashion-mnist-small"}) {
            Dataset images = Catalogue.at(null).open(name, Split.TEST);
            Path to = Files.createDirectories(folder.resolve(name));
            for (int i = 0; i < EACH; i++) {
                Image image = images.get(i).image();
                ImageFile.writePng(image, to.resolve(i + ".png"));
            }
        }
        byte[] png = Files.readAllBytes(folder.resolve("mnist-small/0.png"));
        Files.write(folder.resolve("cut.png"), Arrays.copyOf(png, png.length / 2));
        Files.writeString(folder.resolve("text.gif"), "no picture");
        Files.write(folder.resolve("tiny.webp"), Base64.getDecoder().decode(WEBP));
        return folder;
    }
}
