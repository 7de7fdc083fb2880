package ai.wood.cli;

import ai.wood.data.DatasetList;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.Stack;
import picocli.CommandLine.IParameterConsumer;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** Adds the names of a list of datasets ({@link DatasetList}) to an option that may be repeated. */
class DatasetListConsumer implements IParameterConsumer {

    @Override
    @SuppressWarnings("JdkObsolete") // the interface has a Stack
    public void consumeParameters(Stack<String> arguments, ArgSpec option, CommandSpec command) {
        if (arguments.isEmpty()) {
            throw new MissingParameterException(
                    command.commandLine(), option, "Missing required parameter for " + option.paramLabel());
        }
        String list = arguments.pop();
        if (command.optionsMap().containsKey(list)) {
            throw new ParameterException(
                    command.commandLine(),
                    "Expected parameter for option " + ((OptionSpec) option).longestName() + " but found " + list);
        }
        try {
            Collection<Object> names = option.type() == Set.class ? new LinkedHashSet<>() : new ArrayList<>();
            Collection<?> before = option.getValue(); // null before the first list of a required option
            if (before != null) {
                names.addAll(before);
            }
            names.addAll(parse(list));
            option.setValue(names);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e, option, list);
        }
    }

    /** The values of an option that one list adds. */
    Collection<?> parse(String list) {
        return DatasetList.names(list);
    }

    /** Adds datasets and sets of arrays, as {@link DatasetList.Item}. */
    static final class WithArrays extends DatasetListConsumer {

        @Override
        Collection<?> parse(String list) {
            return DatasetList.parse(list);
        }
    }
}
