package ai.wood.cli;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** Refuses options that would have no effect, because a user who sets one expects an effect. */
public final class OptionRules {

    private final CommandSpec command;
    private final Set<String> unused = new HashSet<>();

    public OptionRules(CommandSpec command) {
        this.command = command;
    }

    /**
     * Refuses options that have no effect here.
     *
     * @param purpose where they have one, as in {@code --loss wood}
     * @param served whether this is the case
     * @param found what is the case instead, as in {@code the loss is plain}
     * @param options one or more, separated by a blank
     */
    public OptionRules onlyFor(String purpose, boolean served, String found, String options) {
        for (String option : options.split(" ", -1)) {
            if (!served && isGiven(option)) {
                throw new ParameterException(
                        command.commandLine(),
                        option + " is for " + purpose + " only, but " + found + ". Maybe leave it out.");
            }
            if (!served) {
                unused.add(option);
            }
        }
        return this;
    }

    /** Returns the options that have no effect here. */
    Set<String> unused() {
        return unused;
    }

    /** Picocli does not record options that have a parameter consumer, but these have a value then. */
    boolean isGiven(String option) {
        OptionSpec found = command.findOption(option);
        boolean consumed = found != null
                && found.parameterConsumer() != null
                && found.getValue() instanceof Collection<?> values
                && !values.isEmpty();
        return consumed || command.commandLine().getParseResult().hasMatchedOption(option);
    }

    /** Refuses counts below 1. */
    public OptionRules positive(String... options) {
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
}
