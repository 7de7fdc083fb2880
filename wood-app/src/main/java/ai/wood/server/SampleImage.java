package ai.wood.server;

import ai.wood.Dataset;
import ai.wood.Sample;
import ai.wood.Split;
import ai.wood.data.Catalogue;
import ai.wood.data.ImageFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A picture to try a detector with: digits, clothes and noise that travel with the library. */
final class SampleImage {

    private final String name;
    private final byte[] png;

    private SampleImage(String name, byte[] png) {
        this.name = name;
        this.png = png;
    }

    static List<SampleImage> bundled() throws IOException {
        List<SampleImage> all = new ArrayList<>();
        add(all, "mnist-small", "digit ", 4);
        add(all, "fashion-mnist-small", "", 3);
        add(all, "rotated:mnist-small", "turned digit", 1);
        add(all, "blobs", "blobs", 1);
        return List.copyOf(all);
    }

    private static void add(List<SampleImage> all, String dataset, String prefix, int count) throws IOException {
        Dataset images = Catalogue.at(null).open(dataset, Split.TEST);
        for (int i = 0; i < count; i++) {
            Sample sample = images.get(i);
            boolean labelled = prefix.isEmpty() || prefix.endsWith(" ");
            String label = prefix + (labelled ? images.classes().get(sample.label()) : "");
            all.add(new SampleImage(label, ImageFile.png(sample.image())));
        }
    }

    String name() {
        return name;
    }

    byte[] png() {
        return png.clone();
    }
}
