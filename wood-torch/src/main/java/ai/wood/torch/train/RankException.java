package ai.wood.torch.train;

import java.io.IOException;

/** Processes that train together cannot go on; the message names the rank that is the reason. */
final class RankException extends IOException {

    private static final long serialVersionUID = 1L;

    RankException(String message) {
        super(message);
    }

    RankException(String message, Throwable cause) {
        super(message, cause);
    }
}
