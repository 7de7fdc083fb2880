package ai.wood;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The layering: core knows no engine and no application, and nothing goes round in circles. */
@AnalyzeClasses(packages = "ai.wood", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    private static final String[] APPLICATION = {
        "ai.wood.cli..", "ai.wood.evaluate..", "ai.wood.report..", "ai.wood.server..", "ai.wood.load.."
    };

    @ArchTest
    static final ArchRule onlyTheApplicationKnowsTheApplication = noClasses()
            .that()
            .resideOutsideOfPackages(APPLICATION)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(APPLICATION);

    private static final String[] CORE = {
        "ai.wood",
        "ai.wood.transport..",
        "ai.wood.score..",
        "ai.wood.loss..",
        "ai.wood.metric..",
        "ai.wood.calibrate..",
        "ai.wood.io.."
    };

    @ArchTest
    static final ArchRule coreNeedsItsFewLibrariesOnlyAndKnowsNoImages = classes()
            .that()
            .resideInAnyPackage(CORE)
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(CORE)
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
    static final ArchRule dataKnowNoEngine = classes()
            .that()
            .resideInAnyPackage("ai.wood.data..", "ai.wood.bundle..")
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(CORE)
                    .or(resideInAnyPackage(
                            "ai.wood.data..",
                            "ai.wood.bundle..",
                            "java..",
                            "javax.imageio..",
                            "org.jspecify..",
                            "org.apache.commons.compress..",
                            "com.fasterxml.jackson..")));

    @ArchTest
    static final ArchRule onlyTheTorchModuleKnowsLibtorch = noClasses()
            .that()
            .resideOutsideOfPackage("ai.wood.torch..")
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
    static final ArchRule onnxFilesAreReadWithoutTheExport = noClasses()
            .that()
            .resideInAPackage("ai.wood.onnx")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("ai.wood.onnx.export..");

    @ArchTest
    static final ArchRule onnxFilesAreReadAndWrittenWithoutLibtorch = noClasses()
            .that()
            .resideInAPackage("ai.wood.onnx..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("ai.wood.torch..");

    @ArchTest
    static final ArchRule reportsKnowNoNetworks = noClasses()
            .that()
            .resideInAPackage("ai.wood.report..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("ai.wood.torch..", "ai.wood.onnx..");

    @ArchTest
    static final ArchRule theStoryStandsOnItsOwn = noClasses()
            .that()
            .resideInAPackage("ai.wood")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("ai.wood.*..");

    @ArchTest
    static final ArchRule reportsKnowNoCommandLine = noClasses()
            .that()
            .resideInAPackage("ai.wood.report..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("ai.wood.cli..");

    @ArchTest
    static final ArchRule noPackageCycles =
            slices().matching("ai.wood.(*)..").should().beFreeOfCycles();
}
