package ai.wood.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code train --resume RUN}: the options of a run are in the run. */
class ResumeTest {

    @TempDir
    Path folder;

    private record Answer(int code, String out, String err) {}

    private static Answer wood(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Main.run(new PrintWriter(out), new PrintWriter(err), args);
        return new Answer(code, out.toString(), err.toString());
    }

    private Path run() {
        return folder.resolve("run");
    }

    private Answer train(String... more) {
        List<String> args = new ArrayList<>(List.of("train", "--ind", "mnist-small", "--network", "small-cnn"));
        args.addAll(List.of("--limit", "100", "--epochs", "1", "--threads", "1", "--out", run().toString()));
        args.addAll(Arrays.asList(more));
        return wood(args.toArray(String[]::new));
    }

    private Answer resume(String... more) {
        List<String> args = new ArrayList<>(List.of("train", "--resume", run().toString()));
        args.addAll(Arrays.asList(more));
        return wood(args.toArray(String[]::new));
    }

    private JsonNode options() throws IOException {
        return new ObjectMapper().readTree(run().resolve("options.json").toFile());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "--ood fashion-mnist-small",
                "--ood mix:blobs*3,gaussian-noise --ood fashion-mnist-small --augment --mine 0.125 --averaging 0.9",
                "--loss plain --preset fast --ind-batch 40 --no-augment --dropout 0.1",
                "--ood blobs --cost binary --lambda 20 --temperature 2 --beta 1e-2 --tensorboard",
                "--ood blobs --cost dynamic --total --clip 1 --shape 1x20x20 --checkpoint-every 7",
                "--ood blobs --loss reject --rejects 2 --optimizer adamw --lr 0.01 --schedule cosine",
                "--ood blobs --loss energy --seed 12345678901"
            })
    void aRunIsResumedWithItsOwnOptions(String options) throws IOException {
        Answer first = train(options.split(" ", -1));
        assertThat(first.code()).as(first.err()).isZero();
        byte[] metrics = Files.readAllBytes(run().resolve("metrics.jsonl"));
        byte[] network = Files.readAllBytes(run().resolve("network.safetensors"));
        JsonNode saved = options();
        Files.delete(run().resolve("network.safetensors")); // so that the checkpoint must be read
        Answer resumed = resume();
        assertThat(resumed.code()).as(resumed.err()).isZero();
        assertThat(options()).isEqualTo(saved);
        assertThat(run().resolve("metrics.jsonl")).hasBinaryContent(metrics);
        assertThat(run().resolve("network.safetensors")).hasBinaryContent(network);
    }

    @Test
    void theOptionsAreAConfigurationWithTheValuesOfThePreset() throws IOException {
        Path costs = folder.resolve("costs.csv");
        Files.writeString(costs, ("1,".repeat(9) + "0\n").repeat(10));
        String out = Path.of("").toAbsolutePath().relativize(costs).toString();
        assertThat(train("--ood", "blobs,gaussian-noise", "--beta", "0.3", "--cost", out)
                        .code())
                .isZero();
        JsonNode options = options();
        assertThat(options.path("ind").asText()).isEqualTo("mnist-small");
        assertThat(options.path("ood")).extracting(JsonNode::asText).containsExactly("blobs", "gaussian-noise");
        assertThat(options.path("epochs").isInt()).isTrue();
        assertThat(options.path("beta").asDouble()).isEqualTo(0.3);
        assertThat(options.path("ood-batch").asInt()).isEqualTo(10);
        assertThat(options.path("optimiser").asText()).isEqualTo("adam");
        assertThat(options.path("cost").asText()).as("valid in every folder").isEqualTo(costs.toString());
        assertThat(options.has("rejects")).as("has no effect with this loss").isFalse();
        assertThat(options.has("out")).isFalse();
    }

    @Test
    void optionsThatAgreeAreAcceptedAndOthersAreRefusedWithBothValues() {
        assertThat(train("--ood", "blobs", "--beta", "0.5").code()).isZero();
        Answer same = resume("--beta", "0.50", "--epochs", "1", "--optimiser", "adam", "--ind", "mnist-small");
        assertThat(same.code()).as(same.err()).isZero();
        Answer free = resume("--threads", "2", "--device", "cpu", "--checkpoint-every", "3");
        assertThat(free.code()).as(free.err()).isZero();
        for (String[] other : new String[][] {
            {"--epochs", "2", "--epochs 1", "--epochs 2"},
            {"--beta", "0.6", "--beta 0.5", "--beta 0.6"},
            {"--ood", "gaussian-noise", "--ood [\"blobs\"]", "--ood [\"gaussian-noise\"]"},
            {"--mine", "0.5", "no --mine", "--mine 0.5"},
            {"--loss", "plain", "--loss wood", "--loss plain"},
            {"--local-processes", "2", "no --local-processes", "--local-processes 2"}
        }) {
            Answer refused = resume(other[0], other[1]);
            assertThat(refused.code()).isEqualTo(2);
            assertThat(refused.err()).contains("started with " + other[2] + " but now has " + other[3]);
        }
        Answer elsewhere = resume("--out", folder.resolve("other").toString());
        assertThat(elsewhere.err()).contains("--resume continues the run", "--out is ");
    }

    @Test
    void aRunOfTuneIsResumedToo() {
        Answer tuned = wood(("tune --ind mnist-small --ood blobs --network small-cnn --limit 100 --epochs 1 --betas 0.5"
                        + " --out " + folder)
                .split(" ", -1));
        assertThat(tuned.code()).as(tuned.err()).isZero();
        Answer resumed = wood("train", "--resume", folder.resolve("beta-0.5").toString());
        assertThat(resumed.code()).as(resumed.err()).isZero();
    }

    @Test
    void withoutARunOrItsNameTheMessageSaysWhatToDo() throws IOException {
        Answer absent = resume();
        assertThat(absent.code()).isEqualTo(2);
        assertThat(absent.err()).contains("contains no run to resume. Start one with wood train --ind NAME --out ");
        assertThat(wood("train", "--ind", "mnist-small").err()).contains("Missing required option: '--out=RUN'");
        assertThat(wood("train", "--resume").err()).contains("Missing required option: '--out=RUN'");
        assertThat(wood("train", "--out", run().toString()).err()).contains("Missing required option: '--ind=NAME'");
        Files.writeString(Files.createDirectories(run()).resolve("options.json"), "{\"ind\": \"x\", \"wings\": 2}");
        assertThat(resume().err()).contains("options.json: there is no option --wings");
    }

    /** Made by version 0.1; its tensors are zeros, so that it is small. */
    private void unpackRunOfVersion01() throws IOException {
        Files.createDirectories(run().resolve("checkpoint"));
        for (String name : List.of("data.json", "metrics.jsonl", "network.json", "options.json")) {
            try (InputStream in = old(name)) {
                Files.copy(in, run().resolve(name));
            }
        }
        try (InputStream in = new GZIPInputStream(old("network.safetensors.gz"))) {
            Files.copy(in, run().resolve("network.safetensors"));
        }
        try (InputStream in = new GZIPInputStream(old("state.safetensors.gz"))) {
            Files.copy(in, run().resolve("checkpoint/state.safetensors"));
        }
    }

    private static InputStream old(String name) {
        return Objects.requireNonNull(ResumeTest.class.getResourceAsStream("run-0.1/" + name), name);
    }

    @Test
    void aRunOfVersion01NeedsItsOptionsAndTheMessageSaysSo() throws IOException {
        unpackRunOfVersion01();
        Answer without = resume();
        assertThat(without.code()).isEqualTo(2);
        assertThat(without.err())
                .contains("options.json: does not contain the options of the command line", "version 0.1")
                .contains("Give all options of the training again, next to --resume.");
        byte[] before = Files.readAllBytes(run().resolve("options.json"));
        String all = "--ind mnist-small --ood fashion-mnist-small --network small-cnn --limit 100 --epochs 2 --seed ";
        Answer other = resume((all + "4").split(" ", -1));
        assertThat(other.err()).contains("is of another training: options.seed is 3 there and 4 here");
        Answer resumed = resume((all + "3").split(" ", -1));
        assertThat(resumed.code()).as(resumed.err()).isZero();
        assertThat(run().resolve("options.json"))
                .as("still the only record of the training")
                .hasBinaryContent(before);
        Answer judged = wood("evaluate", run().toString(), "--ood", "blobs", "--scorers", "wood", "--limit", "50");
        assertThat(judged.code()).as(judged.err()).isZero();
    }
}
