package ai.wood.evaluate;

import ai.wood.Matrix;
import ai.wood.Probabilities;
import ai.wood.Settings;
import ai.wood.io.Safetensors;
import ai.wood.score.ScorerKinds;
import ai.wood.score.WoodScorer;
import ai.wood.torch.train.RunFolder;
import ai.wood.transport.GroundCost;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The WOOD score that a run was trained with.
 *
 * @param own its settings; none if it was trained without. A custom cost is in a file of its own.
 */
record TrainedScore(Path folder, Settings own) {

    private static final String CUSTOM = "custom";

    /** The settings of the WOOD score that training taught; none if it taught none. A custom cost is in its own file. */
    static TrainedScore of(Path folder) throws IOException {
        JsonNode noted = DataOptions.training(folder).path("scorer");
        if (noted.isMissingNode()) {
            return new TrainedScore(folder, Settings.NONE);
        }
        JsonNode lambda = noted.path("lambda");
        Settings learned = Settings.NONE
                .with("cost", noted.path("cost").asText())
                .with("lambda", lambda.isNumber() ? lambda.doubleValue() : Double.POSITIVE_INFINITY)
                .with("temperature", noted.path("temperature").asDouble());
        try {
            if (!learned.word("cost").equals(CUSTOM)) {
                WoodScorer.of(learned);
            }
            Probabilities.requireTemperature(learned.number("temperature"));
        } catch (IllegalArgumentException e) {
            Path file = new RunFolder(folder).manifest();
            throw new IOException(file + ": is not " + DataOptions.TRAINING + ": " + e.getMessage(), e);
        }
        return new TrainedScore(folder, learned);
    }

    /** The settings of the WOOD score. The cost matrix of the run is read only if it is used. */
    Settings settings(EvaluateOptions options) throws IOException {
        Settings wood = own.and(options.wood());
        boolean custom = wood.has("cost")
                && wood.matrix("cost").isEmpty()
                && wood.word("cost").equals(CUSTOM);
        if (!custom) {
            return wood;
        }
        return options.scorers().contains(ScorerKinds.wood())
                ? wood.with("cost", keptCost())
                : wood.and(ScorerKinds.wood().settings());
    }

    private Matrix keptCost() throws IOException {
        Path file = new RunFolder(folder).cost();
        if (!Files.exists(file)) {
            throw new IOException(file + ": the cost matrix that the network was trained with is needed but there is no"
                    + " such file. Name another ground cost.");
        }
        try (Safetensors tensors = Safetensors.open(file, Safetensors.DETECTOR_HEADER)) {
            return GroundCost.custom(tensors.matrix("cost")).matrix();
        } catch (IllegalArgumentException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }
}
