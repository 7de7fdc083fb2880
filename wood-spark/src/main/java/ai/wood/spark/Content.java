package ai.wood.spark;

import ai.wood.bundle.Bundle;
import ai.wood.bundle.DetectorDescription;
import ai.wood.data.ClassifierFormat;
import ai.wood.score.Need;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StringType;

/** What a column holds that can be judged. */
enum Content {
    PICTURES {
        @Override
        void requireJudgedBy(Bundle bundle, String name) throws IOException {
            String network = bundle.description().network();
            if (network.equals(DetectorDescription.NO_NETWORK)) {
                throw new IOException(name + ": a network is needed to judge pictures but the detector has none."
                        + " Maybe give logits.");
            }
            if (ClassifierFormat.byName(network).isEmpty()) {
                List<String> known =
                        ClassifierFormat.all().stream().map(ClassifierFormat::name).toList();
                throw new IOException(name + ": the network is kept in the format '" + network
                        + "' but the class path knows " + known + ". Maybe submit with --jars wood-" + network
                        + ".jar and what it needs.");
            }
        }

        @Override
        Cells<?> cells(Bundle bundle, long maxPixels) {
            return PictureCells.of(bundle, maxPixels);
        }
    },

    LOGITS {
        @Override
        void requireJudgedBy(Bundle bundle, String name) throws IOException {
            Optional<Need> more = bundle.scorer().beyondLogits();
            if (more.isPresent()) {
                throw new IOException(name + ": the scorer '" + bundle.scorer().id() + "' needs "
                        + more.get().description() + " but the column holds logits. Maybe give pictures.");
            }
        }

        @Override
        Cells<?> cells(Bundle bundle, long maxPixels) {
            return new LogitCells(bundle);
        }
    };

    static Content of(String column, DataType type) {
        if (type instanceof BinaryType) {
            return PICTURES;
        }
        if (type instanceof StringType
                || type.equals(SQLDataTypes.VectorType())
                || (type instanceof ArrayType array && array.elementType() instanceof NumericType)) {
            return LOGITS;
        }
        throw new IllegalArgumentException(
                "the column '" + column + "' must hold images (binary), logits (an array of"
                        + " numbers or a vector) or lines of logits (string) but holds " + type.simpleString());
    }

    /** Fails where this detector can judge no row at all. */
    abstract void requireJudgedBy(Bundle bundle, String name) throws IOException;

    /** How a detector judges such cells. */
    abstract Cells<?> cells(Bundle bundle, long maxPixels);
}
