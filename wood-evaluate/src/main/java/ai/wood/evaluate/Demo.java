package ai.wood.evaluate;

import ai.wood.ScorerKind;
import ai.wood.data.Catalogue;
import ai.wood.loss.Loss;
import ai.wood.loss.WoodLoss;
import ai.wood.torch.train.RunFolder;
import ai.wood.transport.GroundCost;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The whole story on bundled data: the same small network learns handwritten digits, plainly and with WOOD against
 * pictures of clothes, and meets clothes again and things it has never seen.
 *
 * <p>WOOD is trained once for each weight of a small grid, and the one that is best on validation data is kept; test data
 * is looked at afterwards, and once.
 *
 * @param folder where the runs go
 * @param epochs of each training
 * @param limit how many random samples of each set are used; 0 for all, of test sets 2000
 * @param seed of everything; the same one gives the same figures on the same kind of processor
 */
public record Demo(Path folder, int epochs, int limit, long seed) {

    private static final String IND = "mnist-small";
    private static final String SEEN = "fashion-mnist-small";
    private static final List<String> OOD =
            List.of(SEEN, "gaussian-noise", "blobs", "rotated:" + IND, "patch-shuffled:" + IND);

    private static final List<BigDecimal> BETAS =
            List.of(new BigDecimal("0.1"), new BigDecimal("0.3"), new BigDecimal("1"));
    private static final int TEST_LIMIT = 2000;
    private static final String PLAIN = "plain";

    /** More than other trainings hold out: by this the demo knows its own runs. */
    private static final double HELD_OUT = 0.2;

    /** Eight of every class: fewer cannot be split into those to learn, to tune on and to choose thresholds by. */
    private static final int LEAST = 80;

    public Demo {
        if (limit != 0 && limit < LEAST) {
            throw new IllegalArgumentException("the demo needs at least " + LEAST + " samples of each dataset but is to"
                    + " use " + limit + ". Maybe leave --limit out, or give a larger one.");
        }
    }

    /**
     * What came out.
     *
     * @param trials the weights that were tried, on validation data
     * @param outputs of the plain network and of the chosen one, on test data
     */
    public record Outcome(BetaTrials trials, List<NetworkOutputs> outputs) {}

    /** Trains the networks, chooses, and runs the plain and the chosen one over all test sets. */
    public Outcome run(List<ScorerKind> scorers, Progress progress) throws IOException {
        requireOwn(PLAIN);
        for (BigDecimal beta : BETAS) {
            requireOwn(name(beta));
        }
        Catalogue catalogue = Catalogue.at(null);
        Recipe recipe = Recipe.small(epochs);
        recipe = recipe.withOptions(recipe.options().withSeed(seed));
        train(PLAIN, recipe.withoutOod(), List.of(), catalogue, progress);
        List<BetaTrials.Trial> trials = new ArrayList<>();
        for (BigDecimal beta : BETAS) {
            Loss loss = WoodLoss.of(GroundCost.dynamic(), beta.doubleValue());
            RunFolder run =
                    train(name(beta), recipe.withLoss(loss, recipe.scorer()), List.of(SEEN), catalogue, progress);
            trials.add(new BetaTrials.Trial(beta, run.best()));
        }
        BetaTrials compared = new BetaTrials(trials);
        EvaluateOptions options = EvaluateOptions.of(OOD)
                .withLimit(limit == 0 ? TEST_LIMIT : limit)
                .withScorers(scorers);
        List<NetworkOutputs> outputs = new ArrayList<>();
        for (String name : List.of(PLAIN, name(compared.best().beta()))) {
            try (Run run = Run.open(folder.resolve(name), catalogue, "cpu", progress)) {
                outputs.add(run.outputs(options));
            }
        }
        return new Outcome(compared, outputs);
    }

    /** Refuses to train in place of a run that is not an earlier demo's. */
    private void requireOwn(String name) throws IOException {
        Path run = folder.resolve(name);
        if (Files.exists(new RunFolder(run).data()) && DataOptions.read(run).heldOut() != HELD_OUT) {
            throw new IOException(run + ": the demo trains here but there is another run. Maybe choose another --out.");
        }
    }

    private static String name(BigDecimal beta) {
        return "wood-" + beta;
    }

    private RunFolder train(String name, Recipe recipe, List<String> ood, Catalogue catalogue, Progress progress)
            throws IOException {
        Path run = folder.resolve(name);
        DataOptions data =
                DataOptions.of(IND, ood).withHeldOut(HELD_OUT).withLimit(limit).withSeed(seed);
        recipe.restart(run, data, catalogue, progress.training(name));
        return new RunFolder(run);
    }
}
