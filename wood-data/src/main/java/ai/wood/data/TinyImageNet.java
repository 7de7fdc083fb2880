package ai.wood.data;

import ai.wood.data.ImageFolder.LabelledFile;
import ai.wood.io.Input;
import ai.wood.io.InvalidFileException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The folder {@code tiny-imagenet-200} as it is published: {@code train/ID/images}, {@code val/images} with
 * {@code val_annotations.txt}, and {@code test/images}, whose labels were never published. {@code wnids.txt} lists the
 * 200 class identifiers and {@code words.txt} their meanings.
 */
final class TinyImageNet {

    /** The shape of its pictures; a few are grey and are turned into colour. */
    static final Shape SHAPE = new Shape(3, 64, 64);

    private static final int MAX_TEXT = 1 << 24;

    private TinyImageNet() {}

    /** Lists one of its splits; pictures are decoded when they are asked for. */
    static ImageFolder open(Path folder, Split split) throws IOException {
        List<String> identifiers = lines(folder.resolve("wnids.txt"));
        List<LabelledFile> items = switch (split) {
            case TRAIN -> train(folder, identifiers);
            case VALIDATION -> validation(folder, identifiers);
            case TEST -> unlabelled(folder.resolve("test").resolve("images"));
            case NONE -> throw new IllegalArgumentException("tiny-imagenet-200 has three splits: name one");
        };
        List<String> classes = split == Split.TEST ? List.of() : names(folder, identifiers);
        return new ImageFolder("tiny-imagenet-200", split, classes, items, SHAPE);
    }

    private static List<LabelledFile> train(Path folder, List<String> identifiers) throws IOException {
        List<LabelledFile> items = new ArrayList<>();
        for (int label = 0; label < identifiers.size(); label++) {
            Path images =
                    folder.resolve("train").resolve(identifiers.get(label)).resolve("images");
            for (Path picture : pictures(images)) {
                items.add(new LabelledFile(picture, label));
            }
        }
        return items;
    }

    private static List<LabelledFile> validation(Path folder, List<String> identifiers) throws IOException {
        Path annotations = folder.resolve("val").resolve("val_annotations.txt");
        Map<String, Integer> labels = new HashMap<>();
        for (String line : lines(annotations)) {
            String[] fields = line.split("\t", 3);
            int label = fields.length < 2 ? -1 : identifiers.indexOf(fields[1]);
            if (label < 0) {
                throw new InvalidFileException(annotations + ": a line must name a picture and one of "
                        + identifiers.size() + " classes but reads " + line);
            }
            labels.put(fields[0], label);
        }
        List<LabelledFile> items = new ArrayList<>();
        for (Path picture : pictures(folder.resolve("val").resolve("images"))) {
            Integer label = labels.get(picture.getFileName().toString());
            if (label == null) {
                throw new InvalidFileException(
                        annotations + ": must name every picture but lacks " + picture.getFileName());
            }
            items.add(new LabelledFile(picture, label));
        }
        return items;
    }

    private static List<LabelledFile> unlabelled(Path images) throws IOException {
        return pictures(images).stream()
                .map(picture -> new LabelledFile(picture, Sample.UNLABELLED))
                .toList();
    }

    private static List<Path> pictures(Path images) throws IOException {
        if (!Files.isDirectory(images)) {
            throw new IOException(images + ": must be a folder of pictures but "
                    + (Files.exists(images) ? "is none" : "does not exist. Maybe run `wood data fetch`."));
        }
        List<Path> pictures = ImageFolder.pictures(images, images.toRealPath());
        if (pictures.isEmpty()) {
            throw new InvalidFileException(images + ": must hold pictures but holds none");
        }
        return pictures;
    }

    private static List<String> names(Path folder, List<String> identifiers) throws IOException {
        Map<String, String> words = new HashMap<>();
        for (String line : lines(folder.resolve("words.txt"))) {
            int tab = line.indexOf('\t');
            words.put(line.substring(0, Math.max(0, tab)), line.substring(tab + 1));
        }
        return identifiers.stream()
                .map(identifier -> words.getOrDefault(identifier, identifier))
                .map(meanings -> meanings.split(",", 2)[0])
                .toList();
    }

    private static List<String> lines(Path file) throws IOException {
        if (Input.size(file) > MAX_TEXT) {
            throw new InvalidFileException(file + ": may have " + MAX_TEXT + " bytes but has " + Files.size(file));
        }
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8)
                .lines()
                .filter(line -> !line.isBlank())
                .toList();
    }
}
