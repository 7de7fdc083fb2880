package ai.wood.evaluate;

import ai.wood.Seed;
import ai.wood.data.Catalogue;
import ai.wood.data.ClassifierFormat;
import ai.wood.data.Dataset;
import ai.wood.data.Split;
import ai.wood.data.Subset;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The samples of a run's training, those held out from it, and those that test it. Of the samples held out, a quarter tunes
 * scorers and the rest chooses thresholds.
 */
final class RunSamples {

    private static final double TUNING_FRACTION = 0.25;

    private final Path folder;
    private final Catalogue catalogue;
    private final ClassifierFormat.Description classifier;
    private final DataOptions data;
    private final Map<Split, Dataset> ind = new EnumMap<>(Split.class);

    RunSamples(Path folder, Catalogue catalogue, ClassifierFormat.Description classifier, DataOptions data) {
        this.folder = folder;
        this.catalogue = catalogue;
        this.classifier = classifier;
        this.data = data;
    }

    /** InD samples that the network learnt from. */
    Dataset fit(EvaluateOptions options) throws IOException {
        return data.limited(ind(Split.TRAIN, "ind"), options.fitLimit());
    }

    /**
     * InD samples held out from training.
     *
     * @param split {@link Split#TRAIN} for those to tune scorers on, {@link Split#VALIDATION} for those to choose
     *     thresholds on
     */
    Dataset heldOut(Split split) throws IOException {
        Dataset all = ind(Split.VALIDATION, "indValidation");
        Map<Split, Double> shares = Map.of(Split.TRAIN, TUNING_FRACTION, Split.VALIDATION, 1 - TUNING_FRACTION);
        return Objects.requireNonNull(
                Subset.stratified(all, shares, new Seed(data.seed())).get(split));
    }

    /** The InD samples of a split, read and checked against the run's record once. */
    private Dataset ind(Split split, String role) throws IOException {
        Dataset known = ind.get(split);
        if (known == null) {
            known = DataOptions.check(data.ind(catalogue, split), folder, role);
            ind.put(split, known);
        }
        return known;
    }

    /** OOD samples of the kinds that training saw, held out from it. */
    Optional<Dataset> heldOutOod() throws IOException {
        Dataset all = data.ood(catalogue, classifier.shape(), Split.VALIDATION);
        return all == null ? Optional.empty() : Optional.of(DataOptions.check(all, folder, "oodValidation"));
    }

    /** OOD samples of the named sets, held out from their training splits; none for no sets. */
    Optional<Dataset> heldOutOod(List<String> names) throws IOException {
        return Optional.ofNullable(data.withOod(names).ood(catalogue, classifier.shape(), Split.VALIDATION));
    }

    /** The InD test split. */
    Dataset test() throws IOException {
        Dataset test = catalogue.open(data.ind(), Split.TEST, classifier.shape());
        if (test.classes().size() != classifier.classes().size()) {
            throw new IOException(
                    folder + ": the network knows " + classifier.classes().size() + " classes but " + data.ind()
                            + " has " + test.classes().size());
        }
        return test;
    }

    /** The OOD sets to judge by, in order. */
    Map<String, Dataset> ood(EvaluateOptions options) throws IOException {
        Map<String, Dataset> sets = new LinkedHashMap<>();
        for (String name : options.ood()) {
            sets.put(name, catalogue.open(name, Split.TEST, classifier.shape()));
        }
        return sets;
    }
}
