package ai.wood.cli;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a path. An empty one would be the current folder, which nobody means who forgot to set a variable. */
final class PathConverter implements ITypeConverter<Path> {

    @Override
    public Path convert(String text) {
        if (text.isEmpty()) {
            throw new TypeConversionException(
                    "a path must name a file or folder but is empty. Maybe a variable is not set.");
        }
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new TypeConversionException("'" + text + "' is no path: " + e.getReason());
        }
    }
}
