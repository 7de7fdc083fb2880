package ai.wood.evaluate;

import ai.wood.Seed;
import ai.wood.data.Dataset;
import ai.wood.data.Mixture;
import ai.wood.data.Noise;
import ai.wood.data.Outliers;
import ai.wood.data.Split;
import ai.wood.evaluate.NetworkOutputs.Tuning;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What scorers are tuned on: InD samples held out from training against as many OOD samples. These are held out from the
 * sets that the options name, or else that training saw; where it saw none they are generated, and of other kinds than the
 * network is judged by.
 */
record TuningData(Run run) {

    private static final List<Outliers> OUTLIERS = List.of(Outliers.JIGSAW, Outliers.MIXED_UP, Outliers.BLURRED);

    Tuning open(EvaluateOptions options) throws IOException {
        Dataset ind = run.data().limited(run.samples().heldOut(Split.TRAIN), options.fitLimit());
        Optional<Dataset> wanted = run.samples().heldOutOod(options.tuneOn());
        Optional<Dataset> seen = wanted.isPresent() ? wanted : run.samples().heldOutOod();
        Dataset ood = seen.isPresent() ? run.data().limited(seen.get(), ind.size()) : generated(ind, options.ood());
        String source = wanted.isPresent()
                ? "held-out samples of OOD chosen for it: "
                : seen.isPresent() ? "held-out samples of seen OOD: " : "generated OOD: ";
        return new Tuning(run.part(ind), run.part(ood), source + ood.name());
    }

    /** Kinds of OOD, each for itself: those wanted or seen in training, and every other one that is generated. */
    List<Dataset> kinds(Dataset ind, EvaluateOptions options) throws IOException {
        List<String> named = options.tuneOn().isEmpty() ? run.data().ood() : options.tuneOn();
        List<String> others =
                Stream.concat(named.stream(), options.ood().stream()).toList();
        List<Dataset> kinds = new ArrayList<>(generatedKinds(ind, others));
        for (String name : named) {
            run.samples()
                    .heldOutOod(List.of(name))
                    .ifPresent(set -> kinds.add(run.data().limited(set, ind.size())));
        }
        return kinds;
    }

    private Dataset generated(Dataset ind, List<String> judgedBy) {
        List<Mixture.Component> parts = generatedKinds(ind, judgedBy).stream()
                .map(kind -> new Mixture.Component(kind, 1))
                .toList();
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("scorers are tuned on generated OOD where training saw none, but every"
                    + " kind of it is to be judged by. Maybe leave one of " + judgedBy + " out.");
        }
        return run.data().limited(new Mixture(parts, seed()), ind.size());
    }

    /** Those that are none of the others. */
    private List<Dataset> generatedKinds(Dataset ind, List<String> others) {
        List<Dataset> kinds = new ArrayList<>();
        for (Noise noise : Noise.values()) {
            kinds.add(noise.dataset(ind.shape(), ind.size(), Split.VALIDATION, seed()));
        }
        for (Outliers outliers : OUTLIERS) {
            kinds.add(outliers.of(ind, seed()));
        }
        DataOptions used = DataOptions.of(ind.name(), others);
        kinds.removeIf(kind -> used.sees(kind.name()));
        if (used.sees(Outliers.PATCH_SHUFFLED.id() + ":" + ind.name())) {
            kinds.removeIf(kind -> kind.name().startsWith(Outliers.JIGSAW.id())); // the same patches, turned
        }
        return kinds;
    }

    private Seed seed() {
        return new Seed(run.data().seed());
    }
}
