package ai.wood.cli;

import java.util.Collection;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** The options that a user gave. One that would do nothing is refused: whoever gives it expects something of it. */
public record Given(CommandSpec command) {

    /**
     * Refuses options that are for something that is not there.
     *
     * @param purpose what they are for, as in {@code --loss wood}
     * @param served whether that is there
     * @param found what is there instead, as in {@code the loss is plain}
     * @param options one or more, with a blank between them
     */
    public Given onlyFor(String purpose, boolean served, String found, String options) {
        for (String option : options.split(" ", -1)) {
            if (!served && isGiven(option)) {
                throw new ParameterException(
                        command.commandLine(),
                        option + " is for " + purpose + " only, but " + found + ". Maybe leave it out.");
            }
        }
        return this;
    }

    /** Refuses counts below 1. */
    public Given positive(String... options) {
        for (String option : options) {
            Object value = isGiven(option) ? command.findOption(option).getValue() : List.of();
            for (Object count : value instanceof Collection<?> several ? several : List.of(value)) {
                if ((Integer) count < 1) {
                    throw new ParameterException(
                            command.commandLine(),
                            option + " must be positive but is " + count + ". Maybe leave it out.");
                }
            }
        }
        return this;
    }

    /** Picocli does not record options that have a parameter consumer, but these have a value then. */
    private boolean isGiven(String option) {
        OptionSpec found = command.findOption(option);
        boolean consumed = found != null
                && found.parameterConsumer() != null
                && found.getValue() instanceof Collection<?> values
                && !values.isEmpty();
        return consumed || command.commandLine().getParseResult().hasMatchedOption(option);
    }
}
