package ai.wood.cli;

import ai.wood.FitData;
import ai.wood.Outputs;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that name training outputs, to which a scorer is fitted. */
final class FitOptions {

    static final String NAMES = "--fit-logits --fit-probabilities --fit-features --fit-labels";

    @Option(names = "--fit-logits", paramLabel = "FILE", description = "Logits of training samples, to fit the scorer.")
    private @Nullable Path logits;

    @Option(names = "--fit-probabilities", paramLabel = "FILE", description = "Probabilities of training samples.")
    private @Nullable Path probabilities;

    @Option(names = "--fit-features", paramLabel = "FILE", description = "Features of training samples.")
    private @Nullable Path features;

    @Option(
            names = "--fit-labels",
            paramLabel = "FILE",
            description = "True labels of training samples: one whole number from 0 per row.")
    private @Nullable Path labels;

    OutputFiles files() {
        return new OutputFiles(logits, probabilities, features);
    }

    boolean given() {
        return labels != null || !files().isEmpty();
    }

    /** The training data. */
    FitData read(Inputs inputs) throws IOException {
        OutputFiles files = files();
        if (files.isEmpty()) {
            throw new IllegalArgumentException("--fit-labels needs the training outputs that the labels belong to."
                    + " Give --fit-logits, --fit-probabilities or --fit-features.");
        }
        Outputs training = files.read(inputs);
        FitData data = FitData.of(training);
        return labels == null ? data : data.withLabels(files.labels(labels, training, inputs));
    }
}
