package ai.wood.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Options without effect are refused, before anything is read or written. */
class OptionRulesTest {

    private static final String TRAIN = " --ind mnist-small --network small-cnn --out ";

    @TempDir
    Path folder;

    private String refusal(String line) {
        StringWriter err = new StringWriter();
        int code = Main.run(new PrintWriter(new StringWriter()), new PrintWriter(err), line.split(" ", -1));
        assertThat(code).as(err.toString()).isEqualTo(Main.BAD_INPUT);
        assertThat(err.toString()).startsWith("wood: ").doesNotContain("Exception");
        assertThat(folder).isEmptyDirectory();
        return err.toString();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "--loss plain; --beta 1; --loss wood, oe, energy, reject only, but the loss is plain",
                "--loss confidence; --beta 1; --loss wood, oe, energy, reject only, but the loss is confidence",
                "--ood blobs --loss plain; --ood-batch 9; losses that use OOD images only, but the loss is plain",
                "--ood blobs --loss confidence; --mine 0; losses that use OOD images only, but the loss is confidence",
                "--ood blobs --loss oe; --cost binary; --loss wood only, but the loss is oe",
                "--ood blobs --loss energy; --lambda 5; --loss wood only, but the loss is energy",
                "--ood blobs --loss oe; --temperature 4; --loss wood only, but the loss is oe",
                "--loss plain; --total; --loss wood only, but the loss is plain",
                "--ood blobs --cost binary; --total; --cost dynamic only, but the cost is binary",
                "--ood blobs; --rejects 2; --loss reject only, but the loss is wood",
                "--ood blobs; --pool 10; --mine only, but there is no --mine",
                "--ood blobs; --legacy-pool; DenseNets only, but the network is small-cnn",
                "--ood blobs; --timeout 9; several processes only, but there is one"
            })
    void ofATraining(String others, String given, String told) {
        String option = given.split(" ", 2)[0];
        assertThat(refusal("train " + others + " " + given + TRAIN + folder.resolve("run")))
                .contains(option + " is for " + told + ". Maybe leave it out.");
    }

    @Test
    void tuneTriesSeveralWeights() {
        assertThat(refusal("tune --ood blobs --beta 1" + TRAIN + folder.resolve("run")))
                .contains("Unknown options: '--beta'", "Possible solutions: --betas");
        assertThat(refusal("tune --ood blobs --rejects 2" + TRAIN + folder.resolve("run")))
                .contains("--rejects is for --loss reject only");
        assertThat(refusal("tune --loss confidence" + TRAIN + folder.resolve("run")))
                .contains("--loss confidence has no such weight");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "demo --epochs 0; --epochs must be positive but is 0. Maybe leave it out.",
                "demo --limit 0; --limit must be positive but is 0. Maybe leave it out.",
                "demo --limit -1; --limit must be positive but is -1",
                "demo --limit 79; the demo needs at least 80 samples"
            })
    void beforeAFolderIsMade(String line, String told) {
        assertThat(refusal(line + " --out " + folder.resolve("new"))).contains(told);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "evaluate no-run --ood blobs --normalise half; --normalise is for ONNX files only, but there is no --onnx",
                "evaluate no-run --ood blobs --ind mnist-small; --ind is for ONNX files",
                "evaluate no-run --ood blobs --logits z; --logits is for ONNX files",
                "evaluate no-run --ood blobs --shape 1x28x28; --shape is for ONNX files",
                "train --ind mnist-small --ood blobs --out run --ood-batch 0; --ood-batch must be positive but is 0",
                "train --ind mnist-small --loss plain --out run --epochs 0; --epochs must be positive but is 0",
                "evaluate no-run --ood blobs --scorers msp --cost binary; --cost is for scorer wood only, but the scorers are msp",
                "evaluate no-run --ood blobs --scorers msp --temperature 2; --temperature is for scorer wood only",
                "calibrate no-run --scorer msp --temperature 2; --temperature is for scorer wood only",
                "calibrate --ind-scores s.txt --temperature 2; --temperature is for RUN and arrays only",
                "evaluate no-run --ood blobs --scorers msp,knn --tune-on svhn; --tune-on is for scorers that are tuned",
                "adopt w.safetensors --ind mnist-small --out o --network small-cnn --input x; --input is for ONNX files",
                "adopt w.safetensors --ind mnist-small --out o --network small-cnn --legacy-pool; --legacy-pool is for DenseNets",
                "adopt c.onnx --ind mnist-small --out o --network small-cnn; --network is for weights only",
                "adopt c.onnx --ind mnist-small --out o --legacy-pool; --legacy-pool is for weights only",
                "adopt c.onnx --ind mnist-small --out o --logits a --probabilities b; mutually exclusive",
                "calibrate --ind-scores s.txt --per-class; --per-class is for RUN and arrays only, but --ind-scores is given",
                "calibrate --ind-scores s.txt --scorer msp; --scorer is for RUN and arrays only",
                "calibrate --ind-scores s.txt --device cpu; --device is for RUN only",
                "calibrate no-run --scorer msp --cost binary; --cost is for scorer wood only, but the scorer is msp",
                "calibrate no-run --per-class --confidence 0.9; --confidence is for a single threshold only",
                "score --logits z.csv --scorer msp --cost binary; --cost is for scorer wood only, but the scorer is msp",
                "score --logits z.csv --scorer energy --lambda 3; --lambda is for scorer wood only",
                "score --logits z.csv --fit z.csv; --fit is for scorers that are fitted only, but the scorer is wood",
                "score --probabilities p.csv --temperature 2; --temperature is for logits only, but there are none",
                "score --logits z.csv --device cpu; --device is for images only, but outputs need no network",
                "score d.wood --logits z.csv --scorer msp; --scorer is for outputs without a detector only",
                "score d.wood photos --out o.txt; --out is for outputs without a detector only, but this one has its own scorer",
                "bundle no-run -o b.wood --outputs-only --engine onnx; --engine is for bundles with a network only",
                "train --ind mnist-small --ood blobs --out o --limit 0; --limit must be positive but is 0. Maybe leave it out.",
                "evaluate no-run --ood blobs --fit-limit 0; --fit-limit must be positive but is 0",
                "evaluate no-run --ood blobs --bootstrap 0 --seed 3; --seed is for intervals only, but --bootstrap is 0",
                "evaluate no-run --ood blobs -o a.x --csv ./a.x; -o, --csv and --report must be different files",
                "metrics --ind-scores i --ood-scores o --bootstrap 0 --seed 3; --seed is for intervals only",
                "calibrate no-run --fit-limit 0; --fit-limit must be positive but is 0",
                "train --ind mnist-small --ood blobs --out o --mine 0.1 --pool 0; --pool must be positive but is 0"
            })
    void ofOtherCommands(String line, String told) {
        assertThat(refusal(line)).contains(told);
    }
}
