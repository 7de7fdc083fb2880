package ai.wood.torch.train;

import java.io.IOException;
import java.nio.file.Path;

/** Training was stopped on request, after writing a checkpoint from which it goes on when resumed. */
public final class StoppedException extends IOException {

    private static final long serialVersionUID = 1L;

    StoppedException(Path run, int epoch, int step) {
        super(run + ": training was stopped in epoch " + epoch + " before step " + step
                + ". Resumed, it goes on from there.");
    }
}
