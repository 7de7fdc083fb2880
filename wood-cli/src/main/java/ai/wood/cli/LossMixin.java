package ai.wood.cli;

import ai.wood.loss.Loss;
import ai.wood.loss.LossKind;
import ai.wood.loss.LossSettings;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The loss of a training, as options of a command. */
final class LossMixin {

    private static final List<String> SETTINGS = List.of("beta", "cost", "lambda", "total", "temperature", "rejects");

    /** Names for help and completion. */
    static final class LossNames implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return LossKind.all().stream().map(LossKind::id).iterator();
        }
    }

    @Option(
            names = "--loss",
            paramLabel = "LOSS",
            defaultValue = "wood",
            completionCandidates = LossNames.class,
            description = "One of ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    private String loss;

    @Option(
            names = "--cost",
            paramLabel = "COST",
            defaultValue = "dynamic",
            description = "Ground cost: binary, dynamic, or a file with a K x K matrix. Default: ${DEFAULT-VALUE}.")
    private String cost;

    @Option(
            names = "--lambda",
            paramLabel = "L",
            defaultValue = "Infinity",
            description =
                    "Use the entropic (Sinkhorn) version of the WOOD term, with this weight. Default: the exact one.")
    private double lambda;

    @Option(
            names = "--temperature",
            paramLabel = "T",
            defaultValue = "1",
            description = "Divide the logits of OOD images in the WOOD term. Above 1, confident images and improbable"
                    + " classes count more. Then --beta should be larger. Default: ${DEFAULT-VALUE}.")
    private double temperature;

    @Option(
            names = "--rejects",
            paramLabel = "R",
            defaultValue = "5",
            description = "Reject classes of --loss reject. 1 gives ATOM's classifier. Default: ${DEFAULT-VALUE}.")
    private int rejects;

    @Option(names = "--total", description = "Differentiate a dynamic cost too. The paper holds it constant.")
    private boolean total;

    String name() {
        return loss;
    }

    /** Whether the loss has a term of OOD images with a weight. */
    boolean isWeighted() {
        return LossKind.byId(loss).settings().contains("beta");
    }

    /** Refuses settings that the loss does not read. */
    void check(OptionRules rules) {
        LossKind chosen = LossKind.byId(loss);
        for (String setting : SETTINGS) {
            String readers = LossKind.all().stream()
                    .filter(kind -> kind.settings().contains(setting))
                    .map(LossKind::id)
                    .collect(Collectors.joining(", "));
            rules.onlyFor(
                    "--loss " + readers, chosen.settings().contains(setting), "the loss is " + loss, "--" + setting);
        }
        rules.onlyFor("--cost dynamic", cost.equals("dynamic"), "the cost is " + cost, "--total");
    }

    /** Returns the weight of the OOD term; null for the usual weight of the loss. */
    @Nullable
    Double beta(@Nullable Double given, Preset preset) {
        return given == null && loss.equals("wood") ? (Double) preset.beta() : given;
    }

    /**
     * Makes the loss.
     *
     * @param beta weight of the OOD term; null for the usual weight of the loss
     */
    Loss create(@Nullable Double beta) throws IOException {
        return LossKind.byId(loss)
                .create(new LossSettings(beta, Costs.parse(cost), lambda, total, temperature, rejects));
    }
}
