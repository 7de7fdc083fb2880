package ai.wood.io;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The content of a file is not what its format requires: it is damaged, cut short, or another kind of file. */
public class InvalidFileException extends IOException {

    private static final long serialVersionUID = 1;

    public InvalidFileException(String message) {
        super(message);
    }

    public InvalidFileException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
