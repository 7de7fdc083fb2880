package ai.wood.data;

import ai.wood.io.InvalidFileException;

/** A picture that would take more memory or time than whoever reads it allows; the message says the rule. */
public final class TooCostlyException extends InvalidFileException {

    private static final long serialVersionUID = 1;

    TooCostlyException(String message) {
        super(message);
    }
}
