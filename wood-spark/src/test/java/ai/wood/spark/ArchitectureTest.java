package ai.wood.spark;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Engines are found on the class path at run time; the module itself knows detectors only. */
@AnalyzeClasses(packages = "ai.wood.spark", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule theModuleKnowsSparkAndDetectorsButNoEngine = classes()
            .that()
            .resideInAPackage("ai.wood.spark")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "ai.wood",
                    "ai.wood.data..",
                    "ai.wood.io",
                    "ai.wood.spark",
                    "java..",
                    "org.apache.hadoop..",
                    "org.apache.spark..",
                    "org.jspecify..",
                    "picocli",
                    "scala..");
}
