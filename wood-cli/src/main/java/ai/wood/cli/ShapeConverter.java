package ai.wood.cli;

import ai.wood.data.Shape;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code 3x32x32}. */
final class ShapeConverter implements ITypeConverter<Shape> {

    @Override
    public Shape convert(String text) {
        try {
            return Shape.parse(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
    }
}
