package ai.wood;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import ai.wood.torch.train.TensorLoss;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.net.URL;
import java.util.Arrays;
import java.util.stream.Stream;

/** The directions: {@code core <- data <- torch, onnx <- evaluate <- cli <- lab} and {@code data <- server <- cli}. */
@AnalyzeClasses(
        packages = "ai.wood",
        importOptions = {ImportOption.DoNotIncludeTests.class, ArchitectureTest.WithoutTestJars.class})
class ArchitectureTest {

    /** Leaves out the test jars of other modules. */
    static final class WithoutTestJars implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("-tests.jar");
        }
    }

    private static final String[] CORE = {
        "ai.wood",
        "ai.wood.transport..",
        "ai.wood.score..",
        "ai.wood.loss..",
        "ai.wood.metric..",
        "ai.wood.calibrate..",
        "ai.wood.io.."
    };
    private static final String[] DATA = with(CORE, "ai.wood.data..");
    private static final String[] TORCH = with(DATA, "ai.wood.torch..");
    private static final String[] ONNX = with(DATA, "ai.wood.onnx..");
    private static final String[] EVALUATE =
            with(DATA, "ai.wood.torch..", "ai.wood.onnx..", "ai.wood.evaluate..", "ai.wood.report..");
    private static final String[] SERVER = with(DATA, "ai.wood.server..");
    private static final String[] COMMAND_LINE = with(EVALUATE, "ai.wood.server..", "ai.wood.cli..");

    private static String[] with(String[] below, String... more) {
        return Stream.concat(Arrays.stream(below), Arrays.stream(more)).toArray(String[]::new);
    }

    /** Of this project only what is named. */
    private static ArchRule knowsOnly(String[] packages, String[] known) {
        return classes()
                .that()
                .resideInAnyPackage(packages)
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(known)
                        .or(resideInAnyPackage("ai.wood..").negate()));
    }

    @ArchTest
    static final ArchRule coreNeedsItsFewLibrariesOnlyAndKnowsNoImages = classes()
            .that()
            .resideInAnyPackage(CORE)
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(CORE)
                    .or(type(URL.class))
                    .or(resideInAnyPackage(
                            "java.io..",
                            "java.lang..",
                            "java.math..",
                            "java.nio..",
                            "java.security..",
                            "java.time..",
                            "java.util..",
                            "org.jspecify..",
                            "org.ojalgo..",
                            "org.apache.commons.statistics..",
                            "com.fasterxml.jackson..")));

    @ArchTest
    static final ArchRule dataKnowCore = knowsOnly(DATA, DATA);

    @ArchTest
    static final ArchRule torchKnowsData = knowsOnly(TORCH, TORCH);

    @ArchTest
    static final ArchRule onnxKnowsDataAndNoLibtorch = knowsOnly(ONNX, ONNX);

    @ArchTest
    static final ArchRule onnxFilesAreReadWithoutTheExport = noClasses()
            .that()
            .resideInAPackage("ai.wood.onnx")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("ai.wood.onnx.export..");

    @ArchTest
    static final ArchRule evaluationKnowsTheEngines = knowsOnly(EVALUATE, EVALUATE);

    @ArchTest
    static final ArchRule reportsKnowNoNetworks = noClasses()
            .that()
            .resideInAPackage("ai.wood.report..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("ai.wood.torch..", "ai.wood.onnx..");

    @ArchTest
    static final ArchRule theServerKnowsDataAndNoEngine = knowsOnly(SERVER, SERVER);

    @ArchTest
    static final ArchRule theCommandLineKnowsNoLab = knowsOnly(COMMAND_LINE, COMMAND_LINE);

    @ArchTest
    static final ArchRule onlyTheCommandLineKnowsPicocli = noClasses()
            .that()
            .resideOutsideOfPackages("ai.wood.cli..", "ai.wood.lab..", "ai.wood.spark..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("picocli..");

    @ArchTest
    static final ArchRule onlyTheTorchModuleKnowsLibtorch = noClasses()
            .that()
            .resideOutsideOfPackage("ai.wood.torch..")
            .and()
            .areNotAssignableTo(TensorLoss.Kind.class) // the tensor version of a loss
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.bytedeco..");

    @ArchTest
    static final ArchRule onlyTheOnnxModuleKnowsOnnx = noClasses()
            .that()
            .resideOutsideOfPackage("ai.wood.onnx..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("ai.onnx..", "ai.onnxruntime..", "com.google.protobuf..");

    @ArchTest
    static final ArchRule theStoryStandsOnItsOwn = noClasses()
            .that()
            .resideInAPackage("ai.wood")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("ai.wood.*..");

    @ArchTest
    static final ArchRule noPackageCycles =
            slices().matching("ai.wood.(*)..").should().beFreeOfCycles();
}
