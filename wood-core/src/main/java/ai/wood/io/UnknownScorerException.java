package ai.wood.io;

import java.io.IOException;

/** A detector file names a kind of scorer that is not on the class path. */
public final class UnknownScorerException extends IOException {

    private static final long serialVersionUID = 1;

    UnknownScorerException(String message) {
        super(message);
    }
}
