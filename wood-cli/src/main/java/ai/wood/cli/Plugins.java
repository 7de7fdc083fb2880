package ai.wood.cli;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * The jars of a user, in which ServiceLoader finds scorers, datasets and commands. They are in the context class loader of
 * this thread, which later threads inherit, until this is closed.
 */
final class Plugins {

    static final String OPTION = "--plugins";

    /** Follows a message about a missing jar. */
    static final String HINT = " Load the jar with --plugins DIR or WOOD_PLUGINS.";

    private final ClassLoader before = Thread.currentThread().getContextClassLoader();

    private Plugins() {}

    /** Loads the jars of {@code --plugins} or {@code WOOD_PLUGINS}, if there is one of the two. */
    static Plugins load(String... args) throws IOException {
        Optional<String> folder = folder(args)
                .or(() -> Optional.ofNullable(System.getenv("WOOD_PLUGINS")).filter(name -> !name.isEmpty()));
        Plugins plugins = new Plugins();
        if (folder.isEmpty()) {
            return plugins;
        }
        List<URL> jars = new ArrayList<>();
        for (Path jar : jars(folder.get())) {
            jars.add(jar.toUri().toURL());
        }
        Thread.currentThread().setContextClassLoader(new URLClassLoader(jars.toArray(URL[]::new), plugins.before));
        return plugins;
    }

    /** The value of the option, which is read before there is a command line: jars may add commands. */
    private static Optional<String> folder(String... args) {
        for (int i = 0; i < args.length; i++) {
            if (args[i].startsWith(OPTION + "=")) {
                return Optional.of(args[i].substring(OPTION.length() + 1));
            }
            if (args[i].equals(OPTION) && i + 1 < args.length) {
                return Optional.of(args[i + 1]);
            }
        }
        return Optional.empty();
    }

    private static List<Path> jars(String name) throws IOException {
        Path folder;
        try {
            folder = Path.of(name);
        } catch (InvalidPathException e) {
            throw new IOException("The folder of plugins '" + name + "' is not a path: " + e.getReason(), e);
        }
        if (name.isEmpty() || !Files.isDirectory(folder)) {
            throw new IOException(
                    "The folder of plugins '" + name + "' is " + (Files.exists(folder) ? "not a folder" : "missing")
                            + ". Name the folder that contains the jars.");
        }
        List<Path> jars = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, "*.jar")) {
            found.forEach(jars::add);
        }
        if (jars.isEmpty()) {
            throw new IOException(
                    "The folder of plugins '" + name + "' contains no .jar file. Copy your jars into it.");
        }
        Collections.sort(jars);
        return jars;
    }

    /** Ends the use of the jars by this thread. Other threads may still use them, so they stay open. */
    void close() {
        Thread.currentThread().setContextClassLoader(before);
    }
}
