package ai.wood.evaluate;

import ai.wood.data.Catalogue;
import ai.wood.data.Dataset;
import ai.wood.data.Mixture;
import ai.wood.data.Split;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Warnings for a reader of a run's results, in sentences.
 *
 * @param data the samples of its training
 * @param test the InD samples that are measured
 */
record RunNotes(DataOptions data, Dataset test, EvaluateOptions options) {

    private static final String ADOPTED =
            "The network was trained elsewhere. Whether it saw the samples that thresholds"
                    + " are chosen on is unknown; if so, false alarms are more frequent than promised.";

    private static final String UNKNOWN_OOD = "Whether it saw OOD that is called unseen is unknown too.";

    private static final String OVERLAPS =
            "The training that this one went on from may have learnt some of the samples that thresholds"
                    + " are chosen on; if so, false alarms are more frequent than promised.";

    /** Warnings about thresholds. */
    static List<String> of(DataOptions data) {
        return data.overlaps() ? List.of(OVERLAPS) : data.adopted() ? List.of(ADOPTED) : List.of();
    }

    /** Whether training used the samples that are measured. */
    boolean leaky() {
        return test.split() != Split.TEST;
    }

    /** Warnings about all results of the run. */
    List<String> ofRun() {
        List<String> notes = new ArrayList<>(of(data));
        if (data.adopted()) {
            notes.add(UNKNOWN_OOD);
        }
        if (leaky()) {
            notes.add(data.ind() + " has no test split: the network is judged by samples it was trained on.");
        }
        return notes;
    }

    /** Warnings about an OOD set, for each part of a mixture. */
    List<String> of(String name, Dataset dataset) {
        List<Mixture.Component> parts =
                dataset instanceof Mixture mixture ? mixture.parts() : List.of(new Mixture.Component(dataset, 1));
        double weights = parts.stream().mapToDouble(Mixture.Component::weight).sum();
        int used = data.limited(dataset, options.limit()).size();
        DataOptions tuning = DataOptions.of(data.ind(), options.isTuned() ? options.tuneOn() : List.of());
        List<String> sentences = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            Dataset samples = parts.get(i).dataset();
            String part = Catalogue.parts(name).get(i).name();
            if (samples.split() != Split.TEST && data.sees(part)) {
                sentences.add(part + " has no test split: training saw these very samples.");
            }
            data.kin(part)
                    .ifPresent(kin -> sentences.add(part + " was not seen in training, but is of the same source as "
                            + kin + ", which was: it is not OOD of a new kind."));
            if (samples.split() != Split.TEST && tuning.sees(part)) {
                sentences.add(part + " has no test split: scorers were tuned on some of these very samples.");
            }
            if (DataOptions.isSame(test, data.limited(samples, options.limit()))) {
                sentences.add(part + " has the samples of the InD set: figures on it mean nothing.");
            }
            double drawn = used * parts.get(i).weight() / weights;
            if (drawn > samples.size()) {
                sentences.add(String.format(
                        Locale.ROOT,
                        "%s draws about %,.0f samples from the %,d of %s: intervals are too narrow and p-values too small.",
                        name,
                        drawn,
                        samples.size(),
                        part));
            }
        }
        return sentences;
    }
}
