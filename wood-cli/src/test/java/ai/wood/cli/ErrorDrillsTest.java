package ai.wood.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.wood.data.Image;
import ai.wood.data.Shape;
import ai.wood.torch.Devices;
import ai.wood.torch.Engine;
import ai.wood.torch.TorchNetwork;
import ai.wood.torch.net.NetworkDescription;
import ai.wood.torch.train.RunFolder;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What goes wrong at a user's desk: each answered in a line that helps, with exit code 2, and nothing lost. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ErrorDrillsTest {

    @TempDir
    Path folder;

    private record Answer(int code, String out, String err) {

        Answer refusal() {
            assertThat(code).as(err).isEqualTo(Main.BAD_INPUT);
            assertThat(err).startsWith("wood: ").doesNotContain("\tat ", "Exception", "frame #");
            assertThat(err.lines().count()).isLessThanOrEqualTo(2);
            return this;
        }
    }

    private static Answer wood(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Main.run(new PrintWriter(out), new PrintWriter(err), args);
        return new Answer(code, out.toString(), err.toString());
    }

    private List<String> training(String... more) {
        List<String> args = new ArrayList<>(List.of("train", "--out", run().toString(), "--limit", "200"));
        if (!List.of(more).contains("--ind")) {
            args.addAll(List.of("--ind", "mnist-small"));
        }
        if (!List.of(more).contains("--epochs")) {
            args.addAll(List.of("--epochs", "1"));
        }
        args.addAll(List.of("--network", "small-cnn", "--threads", "1"));
        args.addAll(Arrays.asList(more));
        return args;
    }

    private Answer train(String... more) {
        return wood(training(more).toArray(String[]::new));
    }

    private Path run() {
        return folder.resolve("run");
    }

    /** Sixty grey images of three classes. */
    private String images(int height, int width) throws IOException {
        ByteBuffer images =
                ByteBuffer.allocate(16 + 60 * height * width).putInt(0x803).putInt(60);
        Path file = folder.resolve("some-images-idx3-ubyte");
        Files.write(file, images.putInt(height).putInt(width).array());
        ByteBuffer labels = ByteBuffer.allocate(8 + 60).putInt(0x801).putInt(60);
        for (int i = 0; i < 60; i++) {
            labels.put((byte) (i % 3));
        }
        Files.write(folder.resolve("some-labels-idx1-ubyte"), labels.array());
        return "idx:" + file;
    }

    @Test
    void missingDataset() {
        Answer answer = train("--ood", "svhn", "--data", folder.toString()).refusal();
        assertThat(answer.err()).contains("train_32x32.mat: does not exist", "wood data fetch svhn");
        assertThat(run()).doesNotExist();
    }

    @Test
    void corruptDownload() throws IOException {
        Path set = Files.createDirectories(folder.resolve("notmnist"));
        Files.write(set.resolve("t10k-images-idx3-ubyte.gz"), new byte[] {31, (byte) 139, 8, 0, 0, 1, 2});
        Files.write(set.resolve("t10k-labels-idx1-ubyte.gz"), new byte[] {31, (byte) 139, 8, 0, 0, 1, 2});
        Answer answer =
                wood("data", "show", "notmnist", "--data", folder.toString()).refusal();
        assertThat(answer.err()).contains("t10k-images-idx3-ubyte.gz", "wood data fetch notmnist");
    }

    @Test
    void wrongImageSize() throws IOException {
        Answer answer = train("--ind", images(2, 2), "--ood", "blobs", "--ind-batch", "4")
                .refusal();
        assertThat(answer.err()).contains("failed on images of 1x2x2", "Maybe it needs images of another size");
        assertThat(train("--ind", images(9, 7), "--ood", "blobs", "--ind-batch", "4", "--overwrite")
                        .code())
                .isZero();
        try (TorchNetwork network = NetworkDescription.open(run(), Devices.cpu())) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> network.classify(List.of(Image.of(new Shape(3, 9, 7), new byte[189]))))
                    .withMessageContaining("failed on images of 3x9x7")
                    .withMessageNotContaining("frame #");
        }
    }

    @Test
    void oodSetThatIsTheIndSetIsWarnedOf() throws IOException {
        Answer byName = train("--ood", "mnist-small");
        assertThat(byName.code()).isZero();
        assertThat(byName.err()).contains("warning: the OOD set mnist-small has the samples of the InD set");
        Answer mixed = train("--ood", "blobs,mnist-small", "--overwrite");
        assertThat(mixed.err()).contains("warning: the OOD set mnist-small");
        assertThat(train("--ood", "blobs", "--overwrite").err()).isEmpty();
    }

    @Test
    void costMatrixForAnotherNumberOfClasses() throws IOException {
        Path cost = Files.writeString(folder.resolve("cost.csv"), "0,1,2\n1,0,1\n2,1,0\n");
        Answer answer = train("--ood", "blobs", "--cost", cost.toString()).refusal();
        assertThat(answer.err()).contains("the cost matrix is for 3 classes but the classifier has 10");
        assertThat(run()).doesNotExist();
    }

    @Test
    void picturesWithoutAFolderForEachClass() throws IOException {
        Path pictures = Files.createDirectories(folder.resolve("pictures"));
        for (int i = 0; i < 12; i++) {
            BufferedImage picture = new BufferedImage(9, 9, BufferedImage.TYPE_BYTE_GRAY);
            ImageIO.write(picture, "png", pictures.resolve(i + ".png").toFile());
        }
        assertThat(train("--ind", "folder:" + pictures, "--ood", "blobs")
                        .refusal()
                        .err())
                .contains("at least 2 classes", "has 0. Maybe give the pictures of each class a folder of their own");
        assertThat(train("--ind", pictures.toString(), "--ood", "blobs")
                        .refusal()
                        .err())
                .contains("there is no dataset '" + pictures + "'. Did you mean folder:" + pictures + "?");
    }

    @Test
    void scorerThatLogitsAreNotEnoughFor() throws IOException {
        Path logits = Files.writeString(folder.resolve("logits.csv"), "1,2\n2,1\n");
        Answer answer =
                wood("score", "--logits", logits.toString(), "--scorer", "knn").refusal();
        assertThat(answer.err())
                .contains(
                        "The scorer knn needs features and training outputs to fit to. Give --features and --fit-logits");
    }

    @Test
    void unknownOption() {
        assertThat(train("--epoch", "3").refusal().err()).contains("--epoch", "--epochs");
    }

    @Test
    void twoTrainingsInOneFolder() throws IOException {
        try (RunFolder.Claim claim = new RunFolder(run()).open(RunFolder.Existing.REFUSE)) {
            assertThat(claim.resumes()).isFalse();
            Answer answer =
                    start(training("--ood", "blobs", "--overwrite")).answer().refusal();
            assertThat(answer.err()).contains("another training is writing to this folder");
        }
        assertThat(train("--ood", "blobs").code()).isZero();
    }

    @Test
    void interruptedRunGoesOnToTheSameBits() throws IOException, InterruptedException {
        assumeTrue(isLinux(), "signals are sent as Linux does");
        String[] recipe = {"--ood", "fashion-mnist-small", "--epochs", "12", "--checkpoint-every", "100000"};
        Running training = start(training(recipe));
        Path metrics = run().resolve("metrics.jsonl");
        while (training.process.isAlive() && !Files.exists(metrics)) {
            Thread.sleep(20);
        }
        new ProcessBuilder("kill", "-INT", Long.toString(training.process.pid()))
                .start()
                .waitFor();
        Answer stopped = training.answer();
        assertThat(stopped.code()).as(stopped.err()).isEqualTo(130);
        assertThat(stopped.err()).contains("wood: stopped with a checkpoint, from which wood train --resume ");
        assertThat(stopped.out() + stopped.err()).doesNotContainPattern("[\\p{Cntrl}&&[^\n]]");
        assertThat(Files.readAllLines(metrics)).hasSizeLessThan(12);
        Answer judged = wood("evaluate", run().toString(), "--ood", "blobs", "--scorers", "wood", "--limit", "200");
        assertThat(judged.code()).as(judged.err()).isZero(); // by the best epoch so far

        Answer resumed = wood("train", "--resume", run().toString());
        assertThat(resumed.code()).as(resumed.err()).isZero();
        byte[] network = Files.readAllBytes(new RunFolder(run()).network());
        List<String> anew = training(recipe);
        anew.add("--overwrite");
        assertThat(wood(anew.toArray(String[]::new)).code()).isZero();
        assertThat(network).isEqualTo(Files.readAllBytes(new RunFolder(run()).network()));
    }

    /** A limit on the size of files makes writes fail half-way, as a full disk does. */
    @Test
    void fullDisk() throws IOException {
        assumeTrue(isLinux(), "limits are set as Linux does");
        assertThat(train("--ood", "blobs").code()).isZero();
        byte[] before = Files.readAllBytes(new RunFolder(run()).network());
        Engine.start(); // unpacks libtorch where no limit is in force
        Path other = folder.resolve("other");
        List<String> again = training("--ood", "blobs");
        again.set(again.indexOf(run().toString()), other.toString());
        List<String> limited = new ArrayList<>(List.of("bash", "-c", "ulimit -f 100 && exec \"$@\"", "bash"));
        limited.addAll(java(again));
        Answer answer =
                new Running(new ProcessBuilder(limited).start()).answer().refusal();
        assertThat(answer.err()).contains(other.toString(), "could not be written", "Maybe the disk is full");
        assertThat(other.resolve("network.safetensors")).doesNotExist();
        assertThat(Files.readAllBytes(new RunFolder(run()).network())).isEqualTo(before);
    }

    @Test
    void fullDiskBehindAPipe() throws IOException {
        assumeTrue(Files.exists(Path.of("/dev/full")), "there is no /dev/full here");
        String rows = IntStream.range(0, 50_000).mapToObj(i -> i + ".5,1").collect(Collectors.joining("\n"));
        Path logits = Files.writeString(folder.resolve("logits.csv"), rows);
        ProcessBuilder score = new ProcessBuilder(java(List.of("score", "--logits", logits.toString())))
                .redirectOutput(Path.of("/dev/full").toFile());
        Answer answer = new Running(score.start()).answer().refusal();
        assertThat(answer.err()).contains("the output could not be written. Maybe the disk is full");
    }

    /** As long as that of `wood score detector.wood *.png` in a folder of many pictures, or of a large application. */
    @Test
    void longCommandLinesDoNotCrashOnnxRuntime() throws IOException {
        List<String> command = java(List.of("doctor", "--json"));
        command.add(1, "-Dlong=" + "x".repeat(100_000));
        Answer answer = new Running(new ProcessBuilder(command).start()).answer();
        assertThat(answer.code()).as(answer.err()).isZero();
        assertThat(answer.out()).contains("\"onnx\" : \"1.");
    }

    private static boolean isLinux() {
        return System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("linux");
    }

    /** A real process; Ctrl-C reaches it even where the tests run in the background. */
    private static Running start(List<String> args) throws IOException {
        List<String> command = new ArrayList<>(isLinux() ? List.of("env", "--default-signal=INT") : List.of());
        command.addAll(java(args));
        return new Running(new ProcessBuilder(command).start());
    }

    private static List<String> java(List<String> args) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:-UsePerfData", "-XX:TieredStopAtLevel=1", "-cp"));
        command.add(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
        command.add(Main.class.getName());
        command.addAll(args);
        return command;
    }

    private record Running(Process process) {

        Answer answer() throws IOException {
            String out = new String(process.getInputStream().readAllBytes(), UTF_8);
            String err = new String(process.getErrorStream().readAllBytes(), UTF_8);
            try {
                return new Answer(process.waitFor(), out, err);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException(e);
            }
        }
    }

    @Test
    void missingWeights() {
        Path missing = folder.resolve("missing.safetensors");
        assertThat(train("--ood", "blobs", "--from", missing.toString())
                        .refusal()
                        .err())
                .contains(missing + ": there is no such file or folder")
                .doesNotContain("warning");
    }

    @Test
    void fitRowsThatAreNoProbabilities() throws IOException {
        Path rows = Files.writeString(folder.resolve("rows.csv"), "0.2,0.8\n0.5,0.5\n");
        Path fit = Files.writeString(folder.resolve("fit.csv"), "0.2,0.8\n3.5,-1\n");
        Answer answer = wood(
                        "score", "--probabilities", rows.toString(), "--scorer", "kl-matching", "--fit", fit.toString())
                .refusal();
        assertThat(answer.err()).contains(fit + ", line 2");
    }

    @Test
    void overwrittenRunsLoseWhatBelongedToTheOldNetwork() throws IOException {
        assertThat(train("--ood", "blobs").code()).isZero();
        Files.writeString(run().resolve("detector.json"), "of the old network");
        Files.writeString(run().resolve("network.json"), "of the old network");
        train("--ood", "blobs", "--overwrite", "--rate", "1e30");
        assertThat(run().resolve("detector.json")).doesNotExist();
        assertThat(new RunFolder(run()).network()).doesNotExist();
        assertThat(run().resolve("network.json")).content().contains("small-cnn");
        Answer answer = wood("evaluate", run().toString(), "--ood", "blobs").refusal();
        assertThat(answer.err()).contains("a run holds a network but there is none", "has not finished an epoch");
    }

    @Test
    void aLossThatNeedsOodImagesAsksForThem() {
        for (String command : List.of("train", "tune")) {
            Answer answer = wood(command, "--ind", "mnist-small", "--network", "small-cnn", "--out", run().toString())
                    .refusal();
            assertThat(answer.err()).contains("--loss wood needs OOD images", "--loss plain");
            assertThat(run()).doesNotExist();
        }
    }

    @Test
    void absurdNumbers() throws IOException {
        Path scores = Files.writeString(folder.resolve("scores.txt"), "1\n2\n3\n");
        String[] metrics = {"metrics", "--ind-scores", scores.toString(), "--ood-scores", scores.toString()};
        for (String replicates : List.of("1000000000", "99", "1", "-1")) {
            List<String> absurd = new ArrayList<>(List.of(metrics));
            absurd.addAll(List.of("--bootstrap", replicates));
            assertThat(wood(absurd.toArray(String[]::new)).refusal().err())
                    .isEqualTo(
                            "wood: the number of replicates must be 0, for no intervals, or lie in 100 to 1000000 but is "
                                    + replicates + "\n");
        }
        for (String tnr : List.of("2", "0", "NaN")) {
            Answer answer = wood("evaluate", run().toString(), "--ood", "blobs", "--tnr", tnr)
                    .refusal();
            assertThat(answer.err()).contains("--tnr must lie strictly between 0 and 1");
        }
    }

    @Test
    void whatCannotBeReadIsBlamedNotWhatIsWritten() throws IOException {
        Path bad = Files.writeString(folder.resolve("bad.csv"), "1,2\n3,nan\n");
        Path to = folder.resolve("scores.npy");
        Answer answer = wood("score", "--logits", bad.toString(), "--out", to.toString())
                .refusal();
        assertThat(answer.err()).startsWith("wood: " + bad + ", line 2").doesNotContain("could not be written");
        assertThat(to).doesNotExist();
        assertThat(wood("score", "--logits", folder.toString()).refusal().err()).contains(folder + ": must be a file");
    }

    @Test
    void shareGivenAsAPercentage() throws IOException {
        Path scores = Files.writeString(folder.resolve("scores"), "0.1\n0.2\n");
        Answer answer = wood("calibrate", "--ind-scores", scores.toString(), "--tnr", "95")
                .refusal();
        assertThat(answer.err()).contains("--tnr must lie strictly between 0 and 1 but is 95.0. Maybe");
    }

    @Test
    void tooFewSamplesForADemo() {
        for (String limit : List.of("3", "79")) {
            Answer answer =
                    wood("demo", "--limit", limit, "--out", run().toString()).refusal();
            assertThat(answer.err())
                    .contains(
                            "at least 80 samples of each dataset but is to use " + limit + ". Maybe leave --limit out");
            assertThat(answer.out()).isEmpty();
            assertThat(run()).doesNotExist();
        }
    }

    @Test
    void moreThreadsThanAnyMachineHas() {
        String[] args = {"train", "--ind", "mnist-small", "--ood", "blobs", "--network", "small-cnn", "--threads"};
        List<String> many = new ArrayList<>(List.of(args));
        many.addAll(List.of("100000", "--out", run().toString()));
        assertThat(wood(many.toArray(String[]::new)).refusal().err()).contains("at most 1024");
    }
}
