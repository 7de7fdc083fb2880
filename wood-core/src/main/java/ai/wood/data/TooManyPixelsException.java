package ai.wood.data;

import java.io.IOException;

/** A picture that would take more memory than whoever reads it allows, by its header. */
public final class TooManyPixelsException extends IOException {

    private static final long serialVersionUID = 1;

    TooManyPixelsException(String message) {
        super(message);
    }
}
