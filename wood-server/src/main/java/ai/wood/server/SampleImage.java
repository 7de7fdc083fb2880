package ai.wood.server;

import ai.wood.data.Catalogue;
import ai.wood.data.Dataset;
import ai.wood.data.ImageFile;
import ai.wood.data.Sample;
import ai.wood.data.Split;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

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
        Catalogue catalogue = Catalogue.at(null);
        addClasses(all, catalogue.open("mnist-small", Split.TEST), "digit ", 4);
        addClasses(all, catalogue.open("fashion-mnist-small", Split.TEST), "", 3);
        add(all, catalogue.open("rotated:mnist-small", Split.TEST).get(0), "turned digit");
        add(all, catalogue.open("blobs", Split.TEST).get(0), "blobs");
        return List.copyOf(all);
    }

    /** The first picture of each of the classes that come first. */
    private static void addClasses(List<SampleImage> all, Dataset images, String prefix, int count) {
        Set<Integer> seen = new HashSet<>();
        for (int i = 0; seen.size() < count; i++) {
            Sample sample = images.get(i);
            if (seen.add(sample.label())) {
                add(all, sample, prefix + images.classes().get(sample.label()));
            }
        }
    }

    private static void add(List<SampleImage> all, Sample sample, String name) {
        all.add(new SampleImage(name, ImageFile.png(sample.image())));
    }

    String name() {
        return name;
    }

    byte[] png() {
        return png.clone();
    }
}
