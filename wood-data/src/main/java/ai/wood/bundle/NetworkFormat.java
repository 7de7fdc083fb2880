package ai.wood.bundle;

import ai.wood.bundle.DetectorDescription.Classifier;
import ai.wood.data.Network;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * A way to keep a network in files, for an engine that runs it. Implementations are found among the services on the class
 * path: {@code META-INF/services/ai.wood.bundle.NetworkFormat} names them.
 */
public interface NetworkFormat {

    /** Its name in {@code detector.json}, such as {@code torch}. */
    String name();

    /** The files that hold a network, all of them directly in the folder. */
    List<String> parts();

    /**
     * What others must know of the network of a folder, without opening it.
     *
     * @throws IOException where the files hold no network
     */
    Classifier classifier(Path folder) throws IOException;

    /**
     * Opens the network of a folder. It must not need the files afterwards.
     *
     * @param device such as {@code auto}, {@code cpu} or {@code cuda}
     * @throws IOException where the files hold no network
     */
    Network open(Path folder, String device) throws IOException;

    /** The format of this name. */
    static Optional<NetworkFormat> byName(String name) {
        return all().stream().filter(format -> format.name().equals(name)).findFirst();
    }

    /** The format all of whose files are in a folder. */
    static Optional<NetworkFormat> in(Path folder) {
        return all().stream()
                .filter(format -> format.parts().stream().allMatch(part -> Files.isRegularFile(folder.resolve(part))))
                .findFirst();
    }

    /** Those that the class path knows. */
    static List<NetworkFormat> all() {
        return ServiceLoader.load(NetworkFormat.class, NetworkFormat.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
    }
}
