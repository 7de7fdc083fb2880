package ai.wood.spark;

import ai.wood.CannotRunException;
import ai.wood.ClassifierReference;
import ai.wood.Detector;
import ai.wood.Requirement;
import ai.wood.data.ClassifierFormat;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StringType;

/** What a column contains. */
enum Column {
    IMAGES(Set.of()),
    LOGITS(EnumSet.of(Requirement.PREDICTIONS, Requirement.LOGITS)),
    PROBABILITIES(EnumSet.of(Requirement.PREDICTIONS)),
    FEATURES(EnumSet.of(Requirement.FEATURES));

    private final Set<Requirement> provides;

    Column(Set<Requirement> provides) {
        this.provides = provides;
    }

    /** Whether cells of a type are lists of numbers. */
    private static boolean isNumbers(DataType type) {
        return type instanceof StringType
                || type.equals(SQLDataTypes.VectorType())
                || (type instanceof ArrayType array && array.elementType() instanceof NumericType);
    }

    /** Images or logits, as the type of the column says. */
    static Column of(String column, DataType type) {
        if (!(type instanceof BinaryType)) {
            LOGITS.require(column, type);
        }
        return type instanceof BinaryType ? IMAGES : LOGITS;
    }

    /** Refuses a column of another type. */
    void require(String column, DataType type) {
        if (!isNumbers(type)) {
            throw new IllegalArgumentException("the column '" + column + "' must contain images (binary) or numbers"
                    + " (an array, a vector, or a line of text) but contains " + type.simpleString());
        }
    }

    /**
     * Refuses columns from which a detector can give no verdict at all.
     *
     * @throws CannotRunException saying what is missing
     */
    static void requireEnough(Detector detector, Set<Column> columns) {
        if (columns.contains(IMAGES)) {
            requireEngine(detector);
            return;
        }
        Set<Requirement> missing = EnumSet.noneOf(Requirement.class);
        missing.addAll(detector.kind().requires());
        missing.removeIf(
                need -> !need.ofOutputs() && need != Requirement.SAMPLES && need != Requirement.INPUT_GRADIENT);
        columns.forEach(column -> missing.removeAll(column.provides));
        if (detector.policy().perClass() && !columns.contains(LOGITS) && !columns.contains(PROBABILITIES)) {
            missing.add(Requirement.PREDICTIONS);
        }
        if (!missing.isEmpty()) {
            List<String> needs = missing.stream().map(Requirement::description).toList();
            throw new CannotRunException(
                    "the scorer '" + detector.kind().id() + "' needs " + String.join(" and ", needs)
                            + " but the columns contain " + columns.toString().toLowerCase(java.util.Locale.ROOT));
        }
    }

    private static void requireEngine(Detector detector) {
        String format = detector.classifier()
                .map(ClassifierReference::format)
                .orElseThrow(() -> new CannotRunException(
                        "a classifier is needed for images but the detector has none. Give it logits or features."));
        if (ClassifierFormat.byName(format).isEmpty()) {
            List<String> known =
                    ClassifierFormat.all().stream().map(ClassifierFormat::name).toList();
            throw new CannotRunException("the classifier has the format '" + format + "' but the class path knows "
                    + known + ". Submit with --jars wood-" + format + ".jar and the jars it needs.");
        }
    }
}
