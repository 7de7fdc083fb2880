package ai.wood.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ai.wood.Detector;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.evaluate.EvaluationResult;
import ai.wood.evaluate.EvaluationResult.ScorerResult;
import ai.wood.score.ScorerKinds;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code evaluate} on arrays. */
class EvaluateArraysTest {

    @TempDir
    Path folder;

    private record Answer(int code, String out, String err) {}

    private static Answer wood(Object... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        String[] texts = Arrays.stream(args).map(String::valueOf).toArray(String[]::new);
        int code = Main.run(new PrintWriter(out), new PrintWriter(err), texts);
        return new Answer(code, out.toString(), err.toString());
    }

    private static double[][] numbers(long seed, int rows, int columns, double certainty) {
        Random random = new Random(seed);
        double[][] numbers = new double[rows][columns];
        for (int i = 0; i < rows; i++) {
            for (int k = 0; k < columns; k++) {
                numbers[i][k] = random.nextGaussian() + (k == i % 3 ? certainty : 0);
            }
        }
        return numbers;
    }

    private Path write(String name, double[][] numbers) throws IOException {
        return Files.write(
                folder.resolve(name),
                Arrays.stream(numbers)
                        .map(row ->
                                Arrays.stream(row).mapToObj(Double::toString).collect(Collectors.joining(",")))
                        .toList());
    }

    @BeforeEach
    void files() throws IOException {
        String[] names = {"ind", "new", "odd", "fit"};
        for (int i = 0; i < names.length; i++) {
            double certainty = names[i].equals("new") ? 0 : names[i].equals("odd") ? 1.5 : 5;
            write(names[i] + "-logits.csv", numbers(i, 120, 3, certainty));
            write(names[i] + "-features.csv", numbers(10 + i, 120, 5, certainty));
        }
        Files.write(
                folder.resolve("labels.csv"),
                IntStream.range(0, 120).mapToObj(i -> String.valueOf(i % 3)).toList());
        Outputs training =
                Outputs.ofLogits(Matrix.of(numbers(20, 90, 3, 5))).withFeatures(Matrix.of(numbers(30, 90, 5, 5)));
        Outputs heldOut =
                Outputs.ofLogits(Matrix.of(numbers(21, 90, 3, 5))).withFeatures(Matrix.of(numbers(31, 90, 5, 5)));
        Detector.of(ScorerKinds.knn())
                .fit(training)
                .conformal(0.9)
                .calibrate(heldOut)
                .save(folder.resolve("d.wood"));
    }

    private Object[] evaluate(Object... more) {
        List<Object> args = new ArrayList<>(List.of("evaluate", folder.resolve("d.wood")));
        args.addAll(List.of("--logits", folder.resolve("ind-logits.csv")));
        args.addAll(List.of("--features", folder.resolve("ind-features.csv")));
        for (String name : List.of("new", "odd")) {
            args.addAll(List.of(
                    "--ood",
                    name + "=logits:" + folder.resolve(name + "-logits.csv") + ",features:"
                            + folder.resolve(name + "-features.csv")));
        }
        args.addAll(List.of(more));
        return args.toArray();
    }

    private EvaluationResult result(Object... more) throws IOException {
        Path file = folder.resolve("result.json");
        List<Object> args = new ArrayList<>(List.of(more));
        args.addAll(List.of("--bootstrap", 0, "-o", file));
        Answer answer = wood(evaluate(args.toArray()));
        assertThat(answer.code()).as(answer.err()).isZero();
        return EvaluationResult.read(file);
    }

    private static List<String> names(EvaluationResult result) {
        return result.scorers().stream().map(ScorerResult::name).toList();
    }

    @Test
    void aDetectorIsComparedWithScorersThatNeedNoFit() throws IOException {
        EvaluationResult result = result("--labels", folder.resolve("labels.csv"));
        assertThat(names(result)).contains("knn", "wood", "msp", "energy").doesNotContain("mahalanobis");
        assertThat(result.network()).isEqualTo("d.wood");
        assertThat(result.test().size()).isEqualTo(60);
        assertThat(result.validation().size()).isEqualTo(60);
        assertThat(result.accuracy()).isBetween(0.9, 1.0);
        assertThat(result.ood()).extracting(EvaluationResult.OodSet::name).containsExactly("new", "odd");
        assertThat(result.test().sha256()).hasSize(64);
        assertThat(result.notes().toString()).contains("60 of the 120 InD samples chose the thresholds");
        assertThat(result.tnr()).isEqualTo(0.9);
    }

    @Test
    void theReportedThresholdIsTheDetectorsToTheLastBit() throws IOException {
        Detector detector = Detector.load(folder.resolve("d.wood"));
        assertThat(result("--scorers", "msp").scorers())
                .filteredOn(ScorerResult::deployed)
                .singleElement()
                .satisfies(deployed -> {
                    assertThat(deployed.name()).isEqualTo("knn");
                    assertThat(deployed.threshold())
                            .isEqualTo(detector.thresholds().get(0));
                    assertThat(deployed.settings()).containsKey("k");
                });
    }

    @Test
    void withTrainingArraysAllScorersAreFittedAndComparedInTheSameTable() throws IOException {
        Object[] fit = {
            "--fit-logits", folder.resolve("fit-logits.csv"),
            "--fit-features", folder.resolve("fit-features.csv"),
            "--fit-labels", folder.resolve("labels.csv")
        };
        EvaluationResult result = result(fit);
        assertThat(names(result)).contains("knn", "wood", "mahalanobis", "relative-mahalanobis", "she");
        assertThat(result.skipped()).extracting(skipped -> skipped.name()).contains("mahalanobis-ensemble", "react");
        assertThat(result.test().size()).isEqualTo(120);
        assertThat(result.notes().toString()).contains("Of the 120 training samples, 60 fitted");
        Answer table = wood(evaluate(fit));
        assertThat(table.out())
                .as(table.err())
                .contains(
                        "new (unseen), unknown, 120 samples",
                        "mean of all OOD: new, odd",
                        "knn (deployed)",
                        "react skipped: needs");
    }

    @Test
    void theDetectorAloneIsMeasuredOnAllRows() throws IOException {
        assertThat(result("--scorers", "knn").test().size()).isEqualTo(120);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "--ood blobs; the set 'blobs' needs arrays here",
                "--ood new=logits:{}/odd-logits.csv; InD has logits of 3 classes and 5 features but new has logits of 3",
                "--ood x=logits:{}/none.csv,features:{}/odd-features.csv; none.csv",
                "--fit-labels {}/labels.csv; --fit-labels needs",
                "--limit 3; --limit is for runs only",
                "--report {}/page.html; --report is for runs only",
                "-o {}/ind-logits.csv; one that is read",
                "-o {}/d.wood; the detector",
                "-o {}/new-logits.csv; one that is read"
            })
    void whatDoesNotFitArraysIsRefused(String more, String reason) {
        Object[] words = more.replace("{}", folder.toString()).split(" ");
        Answer answer = wood(evaluate(words));
        assertThat(answer.code()).isEqualTo(2);
        assertThat(answer.err()).contains(reason).doesNotContain("Exception");
    }

    @Test
    void arraysAreAskedForWhereTheyAreMissing() {
        Path detector = folder.resolve("d.wood");
        Answer none = wood("evaluate", detector, "--ood", "x=logits:" + folder.resolve("new-logits.csv"));
        assertThat(none.code()).isEqualTo(2);
        assertThat(none.err()).contains("is a set of arrays. Give --logits");
        Answer labels = wood("evaluate", detector, "--ood", "blobs", "--labels", folder.resolve("labels.csv"));
        assertThat(labels.code()).isEqualTo(2);
        assertThat(labels.err()).contains("--labels is for arrays only");
        Answer onnx = wood("evaluate", "--onnx", "c.onnx", "--ood", "blobs");
        assertThat(onnx.code()).isEqualTo(2);
        assertThat(onnx.err()).contains("evaluate takes runs and detectors", "wood adopt c.onnx");
        Answer file = wood("evaluate", detector, "--ood", "blobs");
        assertThat(file.code()).isEqualTo(2);
        assertThat(file.err()).contains("d.wood", "give --logits");
    }

    @Test
    void samplesThatMadeTheDetectorAreNotReportedAsUnseen() throws IOException {
        Answer made = wood(
                "calibrate",
                "--logits",
                folder.resolve("ind-logits.csv"),
                "--features",
                folder.resolve("ind-features.csv"),
                "--ood",
                "new=logits:" + folder.resolve("new-logits.csv") + ",features:" + folder.resolve("new-features.csv"),
                "--tnr",
                0.8,
                "-o",
                folder.resolve("d.wood"));
        assertThat(made.code()).as(made.err()).isZero();
        EvaluationResult result = result("--scorers", "msp");
        assertThat(result.leaky()).isTrue();
        assertThat(result.notes().toString()).contains("fitted to or calibrated on");
        assertThat(result.ood().get(0).seen()).as("it chose the scorer").isTrue();
        assertThat(result.ood().get(1).seen()).isFalse();
        assertThat(result.validation().sha256()).isNotEqualTo(result.test().sha256());
    }
}
