package ai.wood.data;

import ai.wood.Classifier;
import ai.wood.ClassifierReference;
import ai.wood.data.transform.Normalise;
import ai.wood.io.Parts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * A way to store an image classifier in files, for an engine that runs it. {@link ServiceLoader} finds the
 * implementations: {@code META-INF/services/ai.wood.data.ClassifierFormat} names them.
 */
public interface ClassifierFormat {

    /** Its name in {@code detector.json}, such as {@code torch}. */
    String name();

    /** The files of a classifier, all of them directly in the folder. */
    List<String> parts();

    /**
     * A classifier, without its weights.
     *
     * @param classes names in the order of the labels
     * @param shape of the images it was trained on
     */
    record Description(List<String> classes, Shape shape, Normalise normalise) {

        /** The same for a detector of this classifier. */
        public ClassifierReference reference(ClassifierFormat format) {
            return new ClassifierReference(format.name(), shape.toString(), normalise.mean(), normalise.deviation());
        }
    }

    /**
     * Describes a classifier without opening it.
     *
     * @throws IOException if the parts are not a classifier
     */
    Description describe(Parts parts) throws IOException;

    /**
     * Opens a classifier. It reads every part once, to the end, and does not need the parts afterwards.
     *
     * @param device such as {@code auto}, {@code cpu} or {@code cuda}
     * @throws IOException if the parts are not a classifier
     */
    Classifier<Image> open(Parts parts, String device) throws IOException;

    /** The format of this name. */
    static Optional<ClassifierFormat> byName(String name) {
        return all().stream().filter(format -> format.name().equals(name)).findFirst();
    }

    /** The format all of whose files are in a folder. */
    static Optional<ClassifierFormat> in(Path folder) {
        return all().stream()
                .filter(format -> format.parts().stream().allMatch(part -> Files.isRegularFile(folder.resolve(part))))
                .findFirst();
    }

    /** All formats on the class path. */
    static List<ClassifierFormat> all() {
        return ServiceLoader.load(ClassifierFormat.class, ClassifierFormat.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
    }
}
