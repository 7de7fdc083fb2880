package ai.wood.cli;

import ai.wood.data.transform.Normalise;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code unit}, {@code half} and {@code 0.49,0.48,0.45/0.25,0.24,0.26}. */
final class NormaliseConverter implements ITypeConverter<Normalise> {

    static final String SYNTAX = "unit (value / 255), half (to -1..1), or MEAN/DEVIATION, one or one a channel, as in"
            + " 0.49,0.48,0.45/0.25,0.24,0.26.";

    @Override
    public Normalise convert(String how) {
        String[] parts = how.split("/", 2);
        try {
            return switch (how) {
                case "unit" -> Normalise.UNIT;
                case "half" -> Normalise.HALF;
                default -> new Normalise(numbers(parts[0]), numbers(parts[1]));
            };
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            throw new TypeConversionException("'" + how + "' is not unit, half or MEAN/DEVIATION, as in 0.5/0.25");
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
    }

    private static List<Double> numbers(String list) {
        return Arrays.stream(list.split(",", -1)).map(Double::valueOf).toList();
    }
}
