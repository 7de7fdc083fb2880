package ai.wood.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ai.wood.data.Image;
import ai.wood.data.ImageFile;
import ai.wood.data.Shape;
import ai.wood.evaluate.DataOptions;
import ai.wood.torch.Devices;
import ai.wood.torch.TorchNetwork;
import ai.wood.torch.net.NetworkDescription;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The commands that train, on bundled data and the smallest network. */
class TrainingCommandsTest {

    @TempDir
    Path folder;

    private record Answer(int code, String out, String err) {}

    private Answer wood(String command, String... more) {
        List<String> args =
                new ArrayList<>(List.of(command, "--out", folder.resolve("run").toString()));
        args.addAll(List.of("--ind", "mnist-small", "--ood", "fashion-mnist-small"));
        if (!List.of(more).contains("--network")) {
            args.addAll(List.of("--network", "small-cnn"));
        }
        args.addAll(List.of("--limit", "200", "--epochs", "1", "--threads", "1"));
        args.addAll(Arrays.asList(more));
        return run(args.toArray(String[]::new));
    }

    private static Answer run(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Main.run(new PrintWriter(out), new PrintWriter(err), args);
        return new Answer(code, out.toString(), err.toString());
    }

    @Test
    void trainLeavesARunAndRefusesToTouchItAgain() throws IOException {
        Answer first = wood("train", "--preset", "fast", "--ind-batch", "40", "--ood-batch", "10", "--tensorboard");
        assertThat(first.code()).as(first.err()).isZero();
        assertThat(first.out()).contains("epoch 0", "FNR@95TNR");
        assertThat(folder.resolve("run/network.safetensors")).exists();
        assertThat(folder.resolve("run/tensorboard")).isDirectoryContaining("glob:**events.out.tfevents.*");
        assertThat(Files.readString(folder.resolve("run/training.json")))
                .contains("\"schedule\" : \"ONE_CYCLE\"", "PadCrop", "\"indBatch\" : 40");
        try (TorchNetwork network = NetworkDescription.open(folder.resolve("run"), Devices.cpu())) {
            Image image = Image.of(new Shape(1, 28, 28), new byte[784]);
            assertThat(network.classify(List.of(image)).classes()).isEqualTo(10);
        }
        Answer second = wood("train");
        assertThat(second.code()).isEqualTo(2);
        assertThat(second.err()).contains("--resume");
        assertThat(wood("train", "--resume", "--seed", "7").err())
                .contains("started with --seed 0 but now has --seed 7");
        assertThat(wood("train", "--overwrite").code()).isZero();
    }

    @Test
    void theWoodTermHasATemperature() throws IOException {
        Answer cold = wood("train", "--temperature", "0");
        assertThat(cold.code()).isEqualTo(2);
        assertThat(cold.err()).contains("temperature must be positive and finite but is 0.0");
        Answer hot = wood("train", "--temperature", "10", "--beta", "60");
        assertThat(hot.code()).as(hot.err()).isZero();
        String options = Files.readString(folder.resolve("run/training.json"));
        assertThat(options).contains("beta=60.0", "temperature=10.0");
        assertThat(options.replaceAll("\\s", ""))
                .contains("{\"name\":\"wood\",\"cost\":\"dynamic\",\"lambda\":\"Infinity\",\"temperature\":10.0}");
    }

    @ParameterizedTest
    @CsvSource({"reject, --rejects=2, 2", "reject, --mine=0.125, 5", "confidence, --seed=1, 1"})
    void learnedDetectorsLeaveARunThatKnowsItsBranch(String loss, String option, int outputs) throws IOException {
        Answer answer = wood("train", "--loss", loss, option);
        assertThat(answer.code()).as(answer.err()).isZero();
        String options = Files.readString(folder.resolve("run/training.json"));
        assertThat(options.contains("\"quantile\" : 0.125")).isEqualTo(option.startsWith("--mine"));
        assertThat(options.contains("\"oodBatch\" : 0")).as("only validates").isEqualTo(loss.equals("confidence"));
        try (TorchNetwork network = NetworkDescription.open(folder.resolve("run"), Devices.cpu())) {
            Image image = Image.of(new Shape(1, 28, 28), new byte[784]);
            assertThat(network.classify(List.of(image)).branch(loss).columns()).isEqualTo(outputs);
        }
    }

    @Test
    void whatAnEarlierTrainingSawIsNotUnseen() throws IOException {
        assertThat(wood("train").code()).isZero();
        Path first = Files.move(folder.resolve("run"), folder.resolve("first"));
        String[] from = {
            "--ind", "mnist-small", "--network", "small-cnn", "--limit", "200", "--epochs", "1", "--from", ""
        };
        for (Path start : List.of(first, first.resolve("network.safetensors"))) {
            from[from.length - 1] = start.toString();
            Answer answer = trained(from);
            assertThat(answer.code()).as(answer.err()).isZero();
            DataOptions data = DataOptions.read(folder.resolve("run"));
            Files.move(folder.resolve("run"), folder.resolve("from-" + start.getFileName()));
            assertThat(data.ood()).containsExactly("blobs");
            assertThat(data.sees("fashion-mnist")).isTrue();
            assertThat(data.sees("notmnist")).isFalse();
        }
    }

    @Test
    void whatAnEarlierTrainingMayHaveLearntOfTheHeldOutSamplesIsSaidFromThenOn() throws IOException {
        assertThat(wood("train").code()).isZero();
        Path first = Files.move(folder.resolve("run"), folder.resolve("first"));
        String from = first.resolve("network.safetensors").toString();
        Answer answer = wood("train", "--seed", "8", "--ood", "mix:blobs*3,gaussian-noise", "--from", from);
        assertThat(answer.code()).as(answer.err()).isZero();
        assertThat(answer.err())
                .contains("warning", "may have been trained on InD samples that are held out now")
                .doesNotContain("does not tell how");
        String run = folder.resolve("run").toString();
        Answer judged =
                run("evaluate", run, "--ood", "mix:blobs,rotated:mnist-small", "--scorers", "msp", "--bootstrap", "0");
        assertThat(judged.code()).as(judged.err()).isZero();
        assertThat(judged.out()).contains("Note: The training that this one went on from may have learnt", "(seen)");
    }

    @Test
    void whatWeightsOfUnknownOriginMayHaveLearntIsSaidFromThenOn() throws IOException {
        assertThat(wood("train").code()).isZero();
        Path weights = Files.move(folder.resolve("run/network.safetensors"), folder.resolve("weights.safetensors"));
        Answer answer = wood("train", "--overwrite", "--from", weights.toString());
        assertThat(answer.code()).as(answer.err()).isZero();
        assertThat(answer.err())
                .contains(
                        "warning",
                        "may have been trained on InD samples that are held out now",
                        "does not tell how its network saw images: they are normalised with mean [0.0]");
        assertThat(DataOptions.read(folder.resolve("run")).overlaps()).isTrue();
        String run = folder.resolve("run").toString();
        Answer judged = run("evaluate", run, "--ood", "blobs", "--scorers", "msp", "--bootstrap", "0");
        assertThat(judged.out())
                .as(judged.err())
                .contains(
                        "Note: The training that this one went on from may have learnt",
                        "Note: Whether it saw OOD that is called unseen is unknown too.");
    }

    @Test
    void whatIsNotLearntIsSaidAndNothingIsWrittenAmongPictures() throws IOException {
        Path pictures = folder.resolve("pictures");
        for (int i = 0; i < 60; i++) {
            Path into = Files.createDirectories(pictures.resolve(i % 2 == 0 ? "even" : "odd"));
            Image image = Image.of(new Shape(1, 12, 12), new byte[144]);
            Files.write(into.resolve(i + ".png"), ImageFile.png(image));
        }
        Files.writeString(pictures.resolve("odd/notes.txt"), "three blurred");
        Files.createDirectories(pictures.resolve("scans"));
        Files.writeString(pictures.resolve("scans/a.tif"), "TIFF");
        String learn = "train --network small-cnn --epochs 1 --ind-batch 10 --ood-batch 2 --ood blobs --ind folder:"
                + pictures + " --out ";
        for (Path inside : List.of(pictures, pictures.resolve("even"), pictures.resolve("new/run"))) {
            Answer refused = run((learn + inside).split(" ", -1));
            assertThat(refused.code()).isEqualTo(2);
            assertThat(refused.err()).contains(inside + ": must not be written into the dataset folder:");
            assertThat(inside.resolve("checkpoint")).doesNotExist();
        }
        Path absent = folder.resolve("absent");
        Answer missing = run((learn.replace(pictures.toString(), absent.toString()) + absent).split(" ", -1));
        assertThat(missing.err()).contains("must not be written into the dataset");
        missing = run((learn.replace(pictures.toString(), absent.toString()) + folder.resolve("run")).split(" ", -1));
        assertThat(missing.code()).isEqualTo(2);
        assertThat(missing.err()).contains(absent + ": must be a folder of pictures but does not exist");
        Answer answer = run((learn + folder.resolve("learnt")).split(" ", -1));
        assertThat(answer.code()).as(answer.err()).isZero();
        assertThat(answer.err())
                .contains(
                        pictures.resolve("scans") + ": is no class, since none of its 1 files is called *.jpg",
                        pictures.resolve("odd") + ": 1 of its 31 files are passed over")
                .doesNotContain(pictures.resolve("even") + ":");
        assertThat(answer.out()).contains("54 images to learn, 6 held out, 2 classes, 3x12x12; against 9,000 of blobs");
    }

    @Test
    void aRunWhoseCheckpointIsGoneIsNotBegunAnew() throws IOException {
        assertThat(wood("train").code()).isZero();
        Path run = folder.resolve("run");
        Files.delete(run.resolve("checkpoint/state.safetensors"));
        byte[] network = Files.readAllBytes(run.resolve("network.safetensors"));
        Answer answer = wood("train", "--resume");
        assertThat(answer.code()).isEqualTo(2);
        assertThat(answer.err()).contains("a training is resumed from its checkpoint but there is only a network");
        assertThat(run.resolve("network.safetensors")).hasBinaryContent(network);
        Files.move(run, folder.resolve("kept"));
        Answer begun = wood("train", "--resume");
        assertThat(begun.code()).as(begun.err()).isZero();
        assertThat(begun.err()).contains("there is nothing to resume, so the training begins");
        assertThat(wood("train", "--resume").err()).doesNotContain("nothing to resume");
    }

    @Test
    void aTrainingThatCannotBeginLeavesEverythingAsItWas() throws IOException {
        assertThat(wood("train").code()).isZero();
        String first = folder.resolve("run").toString();
        for (String from : List.of(first, first + "/network.safetensors")) {
            Answer inPlace = wood("train", "--from", from, "--overwrite");
            assertThat(inPlace.code()).isEqualTo(2);
            assertThat(inPlace.err()).contains("--out must be another folder than --from");
        }
        assertThat(folder.resolve("run/network.safetensors")).exists();
        Answer there = run("train", "--ind", "cifar10", "--loss", "plain", "--out", first, "--data", first);
        assertThat(there.code()).isEqualTo(2);
        assertThat(there.err()).as("before data are read").contains("there is a run already");

        String out = folder.resolve("other").toString();
        String start = "train --network small-cnn --out " + out + " --from " + first + " --ind ";
        Answer reject = run((start + "mnist-small --ood blobs --limit 200 --loss reject").split(" ", -1));
        assertThat(reject.code()).isEqualTo(2);
        assertThat(reject.err()).contains("reject.weight");
        Answer larger = run((start + "mnist-small --loss plain --network resnet-18")
                .replace("--network small-cnn ", "")
                .split(" ", -1));
        assertThat(larger.code()).isEqualTo(2);
        assertThat(larger.err()).contains("is a small-cnn and --network is resnet-18. Maybe give --network small-cnn.");
        Answer colour = run((start + photos(3) + " --loss plain --ind-batch 5").split(" ", -1));
        assertThat(colour.code()).isEqualTo(2);
        assertThat(colour.err()).doesNotContain("held out");
        assertThat(folder.resolve("other")).doesNotExist();
    }

    @Test
    void anotherRunInTheFolderHasItsOwnCurves() throws IOException {
        assertThat(wood("train", "--tensorboard").code()).isZero();
        assertThat(wood("train", "--tensorboard", "--overwrite").code()).isZero();
        try (Stream<Path> curves = Files.list(folder.resolve("run/tensorboard"))) {
            assertThat(curves).hasSize(1);
        }
        assertThat(wood("train", "--overwrite").code()).isZero();
        assertThat(folder.resolve("run/tensorboard")).isEmptyDirectory();
    }

    private String photos(int classes) throws IOException {
        Path photos = folder.resolve("photos-" + classes);
        for (int i = 0; i < 20 * classes; i++) {
            Path picture = photos.resolve("class-" + i % classes).resolve(i + ".png");
            Files.createDirectories(picture.getParent());
            BufferedImage image = new BufferedImage(12, 12, BufferedImage.TYPE_INT_RGB);
            image.setRGB(i % 12, i / 12 % 12, 0xff8000 + i);
            ImageIO.write(image, "png", picture.toFile());
        }
        return "folder:" + photos;
    }

    @Test
    void aScriptLearnsAndWhatCannotBeDoneWithItIsSaid() throws IOException {
        String script = "../wood-torch/src/test/resources/ai/wood/torch/golden/small-cnn.tiny.pt";
        String[] few = {"--ind", photos(2), "--network", script, "--epochs", "1", "--ind-batch", "5"};
        Answer mismatch = trained(few);
        assertThat(mismatch.code()).isEqualTo(2);
        assertThat(mismatch.err()).contains("the script must tell 2 classes, as folder:", "but tells 3");
        assertThat(folder.resolve("run")).doesNotExist();
        assertThat(trained("--ind", photos(2), "--network", script, "--loss", "reject")
                        .err())
                .contains("--loss reject adds outputs to a network of the catalogue");

        few[1] = photos(3);
        assertThat(trained(few).err()).isEmpty();
        String trained = folder.resolve("run").toString();
        for (String[] command : List.of(
                new String[] {"evaluate", trained, "--ood", "blobs"},
                new String[] {"calibrate", trained},
                new String[] {
                    "export", trained, "--onnx", folder.resolve("x.onnx").toString()
                })) {
            Answer answer = run(command);
            assertThat(answer.code()).isEqualTo(2);
            assertThat(answer.err()).contains("the network is a TorchScript file", "export the network as ONNX");
        }
    }

    private Answer trained(String... options) {
        List<String> args = new ArrayList<>(List.of("train", "--ood", "blobs", "--threads", "1"));
        args.addAll(List.of("--out", folder.resolve("run").toString()));
        args.addAll(Arrays.asList(options));
        return run(args.toArray(String[]::new));
    }

    @Test
    void withoutOodSamplesNoFigureOfThemIsPrinted() {
        String out = folder.resolve("run").toString();
        Answer answer = run(
                "train",
                "--ind",
                "mnist-small",
                "--loss",
                "plain",
                "--network",
                "small-cnn",
                "--limit",
                "200",
                "--epochs",
                "1",
                "--out",
                out);
        assertThat(answer.code()).as(answer.err()).isZero();
        assertThat(answer.out()).contains("accuracy").doesNotContain("NaN", "AUROC");
    }

    @Test
    void divergedTrainingIsExplainedWithoutAStackTrace() {
        Answer answer = wood("train", "--optimiser", "sgd", "--rate", "1e30");
        assertThat(answer.code()).isEqualTo(2);
        assertThat(answer.err()).startsWith("wood: training diverged").doesNotContain("Exception");
    }

    @Test
    void aFolderThatCannotBeWrittenIsNamedAndWhatStandsThereIsKept() throws IOException {
        Path file = Files.writeString(folder.resolve("run"), "not a folder");
        Answer blocked = wood("train");
        assertThat(blocked.code()).isEqualTo(2);
        assertThat(blocked.err()).startsWith("wood: ").contains(file.toString()).doesNotContain("Exception");
        assertThat(file).hasContent("not a folder");
    }

    @Test
    void tuneComparesBetasAndGoesOnWhereItWas() throws IOException {
        Answer answer = wood("tune", "--betas", "0:0.5:0.5");
        assertThat(answer.code()).as(answer.err()).isZero();
        assertThat(answer.out()).contains("accuracy", "* largest");
        assertThat(Files.readString(folder.resolve("run/betas.svg")))
                .startsWith("<svg")
                .contains("FNR@95TNR");
        Path network = folder.resolve("run/beta-0.5/network.safetensors");
        long modified = Files.getLastModifiedTime(network).toMillis();
        Answer again = wood("tune", "--betas", "0:0.5:0.5");
        assertThat(again.code()).isZero();
        assertThat(again.out()).doesNotContain("epoch 0");
        assertThat(Files.getLastModifiedTime(network).toMillis()).isEqualTo(modified);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {"0:1:0.1; 11", "0.1,0.5,2; 3", "0.3; 1", "0.1,0.10,1; 2"})
    void betaGridsAreExactDecimals(String betas, int size) {
        assertThat(TuneCommand.grid(betas)).hasSize(size);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "--betas; 1:0:0.1; --betas",
                "--betas; a; --betas",
                "--betas; 1E400; --betas",
                "--network; resnet-180; Did you mean resnet-18?",
                "--ood; no-such-data; no-such-data",
                "--device; tpu; device",
                "--mine; 0.9; quantile",
                "--pool; 10; --mine",
                "--rejects; 0; a reject class"
            })
    void badOptionsAreNamed(String option, String value, String hint) {
        Answer answer = wood("tune", "--loss", "reject", option, value);
        assertThat(answer.code()).isEqualTo(2);
        assertThat(answer.err()).contains(hint);
    }
}
