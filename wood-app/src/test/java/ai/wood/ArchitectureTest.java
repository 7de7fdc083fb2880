package ai.wood;

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
        "ai.wood.cli..", "ai.wood.experiment..", "ai.wood.report..", "ai.wood.server..", "ai.wood.load.."
    };

    @ArchTest
    static final ArchRule onlyTheApplicationKnowsTheApplication = noClasses()
            .that()
            .resideOutsideOfPackages(APPLICATION)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(APPLICATION);

    @ArchTest
    static final ArchRule coreNeedsItsFewLibrariesOnly = classes()
            .that()
            .resideInAnyPackage(
                    "ai.wood",
                    "ai.wood.transport..",
                    "ai.wood.score..",
                    "ai.wood.loss..",
                    "ai.wood.metric..",
                    "ai.wood.calibrate..",
                    "ai.wood.data..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "javax.imageio..",
                    "org.jspecify..",
                    "org.ojalgo..",
                    "org.apache.commons.statistics..",
                    "org.apache.commons.compress..",
                    "ai.wood",
                    "ai.wood.transport..",
                    "ai.wood.score..",
                    "ai.wood.loss..",
                    "ai.wood.metric..",
                    "ai.wood.calibrate..",
                    "ai.wood.data..");

    @ArchTest
    static final ArchRule bundlesKnowNoEngine = noClasses()
            .that()
            .resideInAPackage("ai.wood.bundle..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("ai.wood.torch..", "org.bytedeco..");

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
    static final ArchRule onnxFilesAreReadWithoutLibtorch = noClasses()
            .that()
            .resideInAPackage("ai.wood.onnx")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("ai.wood.torch..", "ai.wood.onnx.export..");

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
