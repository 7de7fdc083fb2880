package ai.wood.torch.train;

import ai.wood.Matrix;
import ai.wood.Settings;
import ai.wood.data.Dataset;
import ai.wood.io.JsonFile;
import ai.wood.io.SafetensorsWriter;
import ai.wood.io.Sha256;
import ai.wood.loss.Loss;
import ai.wood.torch.Architecture;
import ai.wood.torch.Engine;
import ai.wood.torch.net.ScriptNetwork;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a run was made of, for {@code training.json}: everything that decides its result, and the versions it ran on.
 *
 * @param training what decides the result
 * @param wood the WOOD score that was learnt, for whoever scores by it later
 */
record Manifest(ObjectNode training, Optional<Settings> wood) {

    private static final ObjectMapper JSON = new ObjectMapper();

    static Manifest of(Architecture architecture, Loss loss, TrainData data, TrainOptions options, @Nullable Path start)
            throws IOException {
        ObjectNode training = JSON.createObjectNode();
        training.put("network", architecture.toString());
        if (architecture instanceof ScriptNetwork script) {
            training.put("script", Sha256.of(script.file()));
        }
        training.put("loss", loss.toString());
        training.put("transform", data.transform().toString());
        training.put("normalise", data.normalise().toString());
        training.set("options", JSON.valueToTree(options));
        ObjectNode datasets = training.putObject("data");
        put(datasets, "ind", data.ind());
        put(datasets, "ood", data.ood());
        put(datasets, "indValidation", data.indValidation());
        put(datasets, "oodValidation", data.oodValidation());
        if (start != null) {
            training.put("start", Sha256.of(start));
        }
        return new Manifest(training, loss.wood());
    }

    /** The same training by several processes, which round differently than one. */
    Manifest by(World world) {
        ObjectNode shared = training.deepCopy();
        if (world.size() > 1) {
            shared.put("processes", world.size());
        }
        return new Manifest(shared, wood);
    }

    private static void put(ObjectNode datasets, String role, @Nullable Dataset dataset) {
        if (dataset != null) {
            datasets.putObject(role)
                    .put("name", dataset.name())
                    .put("split", dataset.split().name())
                    .put("size", dataset.size())
                    .put("sha256", dataset.hash());
        }
    }

    /** Two trainings of the same fingerprint give the same weights. */
    String fingerprint() {
        return training.toString();
    }

    /** Replaces what a run folder says of this, the cost matrix of the score first. */
    void write(RunFolder folder) throws IOException {
        Optional<Matrix> cost = wood.flatMap(settings -> settings.matrix("cost"));
        if (cost.isPresent()) {
            new SafetensorsWriter().add("cost", cost.get()).write(folder.cost());
        }
        JsonFile.write(folder.training(), json());
    }

    private JsonNode json() {
        ObjectNode all = training.deepCopy();
        wood.ifPresent(settings -> {
            ObjectNode scorer = all.putObject("scorer").put("name", "wood");
            scorer.put("cost", settings.matrix("cost").map(cost -> "custom").orElseGet(() -> settings.word("cost")));
            scorer.put("lambda", settings.number("lambda"));
            scorer.put("temperature", settings.number("temperature"));
        });
        all.putObject("versions")
                .put("libtorch", Engine.version())
                .put("java", Runtime.version().toString())
                .put("platform", System.getProperty("os.name") + " " + System.getProperty("os.arch"));
        return all;
    }
}
