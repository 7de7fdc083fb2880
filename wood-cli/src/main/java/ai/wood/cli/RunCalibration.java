package ai.wood.cli;

import ai.wood.Detector;
import ai.wood.ScorerKind;
import ai.wood.ThresholdPolicy;
import ai.wood.evaluate.EvaluateOptions;
import ai.wood.evaluate.Run;
import ai.wood.evaluate.ScorerChoice;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/** Makes detectors from the samples that a run held out from training. */
final class RunCalibration {

    private final CommandSpec spec;
    private final boolean json;

    RunCalibration(CommandSpec spec, boolean json) {
        this.spec = spec;
        this.json = json;
    }

    /**
     * Calibrates a detector.
     *
     * @param named the scorer; empty to choose one
     */
    Detector of(Run run, Optional<ScorerKind> named, EvaluateOptions options, ThresholdPolicy policy)
            throws IOException {
        ScorerKind kind = named.isPresent() ? named.get() : choose(run, options);
        run.notes().forEach(note -> Main.warn(spec, note));
        return run.calibrate(options.withScorers(List.of(kind)), policy);
    }

    private ScorerKind choose(Run run, EvaluateOptions options) throws IOException {
        ScorerChoice choice = ScorerChoice.of(run, options);
        choice.skipped()
                .forEach(
                        skipped -> Main.warn(spec, skipped.name() + " is left out of the choice: " + skipped.reason()));
        if (!json) {
            PrintWriter out = spec.commandLine().getOut();
            out.println(
                    "scorer                  FNR@95TNR     AUROC   (means over kinds of held-out and generated OOD)");
            choice.candidates()
                    .forEach(candidate -> out.printf(
                            "%-22s  %9.4f  %8.4f%n", candidate.scorer().id(), candidate.fnr(), candidate.auroc()));
        }
        return choice.candidates().get(0).scorer();
    }
}
