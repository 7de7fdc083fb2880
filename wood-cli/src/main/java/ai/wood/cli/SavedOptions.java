package ai.wood.cli;

import ai.wood.data.Catalogue;
import ai.wood.io.JsonFile;
import ai.wood.torch.train.RunFolder;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * The options of a training: {@code options.json} of a run folder. Its keys are names of options without dashes, so that
 * the file is also a valid configuration of the command.
 */
final class SavedOptions {

    /** They decide where and how fast a training computes, so that a resumed training may change them. */
    private static final Set<String> FREE = Set.of("data", "device", "threads", "checkpoint-every", "tensorboard");

    /** They are saved too, but are not options of every training. */
    private static final Set<String> OTHERS = Set.of("beta", "local-processes");

    private static final Set<String> DATASETS = Set.of("ind", "ood");
    private static final Set<String> NAMES_OR_FILES = Set.of("network", "cost");
    private static final String WHAT = "the options of a training";

    private final ObjectNode values;

    SavedOptions() {
        this(JsonNodeFactory.instance.objectNode());
    }

    private SavedOptions(ObjectNode values) {
        this.values = values;
    }

    /** Returns the options of a run; none if it has no such file, or one of version 0.1 that does not contain them. */
    static Optional<SavedOptions> in(Path run) throws IOException {
        Path file = new RunFolder(run).options();
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        ObjectNode values = JsonFile.read(file, ObjectNode.class, WHAT);
        return values.has("versions") ? Optional.empty() : Optional.of(new SavedOptions(values));
    }

    /** Replaces the file in a run folder. A finished run of version 0.1 keeps its own. */
    void write(Path run) throws IOException {
        RunFolder folder = new RunFolder(run);
        if (Files.exists(folder.training())) {
            JsonFile.write(folder.options(), values);
        }
    }

    static String key(OptionSpec option) {
        return option.names()[0].replaceFirst("^-+", "");
    }

    void put(String key, @Nullable Object value) {
        JsonNode json = json(key, value);
        if (json != null) {
            values.set(key, json);
        }
    }

    SavedOptions without(Collection<String> options) {
        options.forEach(option -> values.remove(option.replaceFirst("^-+", "")));
        return this;
    }

    /** Returns a value as JSON, files as absolute paths; null for a value that is not set. */
    private static @Nullable JsonNode json(String key, @Nullable Object value) {
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        if (value instanceof Collection<?> several) {
            ArrayNode array = nodes.arrayNode();
            several.forEach(one -> array.add(json(key, one)));
            return array.isEmpty() ? null : array;
        } else if (value instanceof Boolean flag) {
            return nodes.booleanNode(flag);
        } else if (value instanceof Integer || value instanceof Long) {
            return nodes.numberNode(((Number) value).longValue());
        } else if (value instanceof Double number) {
            return nodes.numberNode(number);
        } else if (value instanceof Path path) {
            return nodes.textNode(path.toAbsolutePath().normalize().toString());
        }
        return value == null ? null : nodes.textNode(text(key, value.toString()));
    }

    private static String text(String key, String value) {
        if (DATASETS.contains(key)) {
            return Catalogue.named(value, Path.of("").toAbsolutePath());
        }
        boolean isFile = NAMES_OR_FILES.contains(key) && Files.exists(Path.of(value));
        return isFile ? Path.of(value).toAbsolutePath().normalize().toString() : value;
    }

    /**
     * Returns the arguments that set these options, except those that the command line sets.
     *
     * @throws ParameterException if the command line sets another value for an option that must stay the same
     */
    List<String> arguments(CommandSpec command, Path run) {
        Set<String> given = new HashSet<>();
        OptionRules rules = new OptionRules(command);
        for (OptionSpec option : command.options()) {
            if (rules.isGiven(option.longestName())) {
                given.add(key(option));
                requireSame(command, option, run);
            }
        }
        List<String> arguments = new ArrayList<>();
        for (Map.Entry<String, JsonNode> entry : values.properties()) {
            OptionSpec option = command.findOption("--" + entry.getKey());
            if (option == null) {
                throw new ParameterException(
                        command.commandLine(),
                        new RunFolder(run).options() + ": there is no option --" + entry.getKey()
                                + ". Maybe a later version made this run.");
            }
            if (!given.contains(entry.getKey())) {
                add(arguments, option, entry);
            }
        }
        return arguments;
    }

    private static void add(List<String> arguments, OptionSpec option, Map.Entry<String, JsonNode> entry) {
        JsonNode value = entry.getValue();
        if (value.isArray()) {
            value.forEach(one -> arguments.add("--" + entry.getKey() + "=" + escaped(one.asText())));
        } else if (!value.isBoolean()) {
            arguments.add("--" + entry.getKey() + "=" + value.asText());
        } else if (value.asBoolean()) {
            arguments.add("--" + entry.getKey());
        } else if (option.negatable()) {
            arguments.add("--no-" + entry.getKey());
        }
    }

    /** A name in a list of datasets. */
    private static String escaped(String name) {
        return name.startsWith("mix:") ? name : name.replace(",", "\\,");
    }

    private void requireSame(CommandSpec command, OptionSpec option, Path run) {
        String key = key(option);
        JsonNode ours = json(key, option.getValue());
        JsonNode theirs = values.get(key);
        CommandSpec training = command.mixins().get("training");
        boolean isKept =
                theirs != null || OTHERS.contains(key) || (training != null && training.findOption("--" + key) != null);
        if (isKept && !FREE.contains(key) && !same(theirs, ours)) {
            throw new ParameterException(
                    command.commandLine(),
                    run + ": this run was started with " + told(key, theirs) + " but now has " + told(key, ours)
                            + ". Leave the option out to resume the run, or choose another folder.");
        }
    }

    private static String told(String key, @Nullable JsonNode value) {
        return value == null ? "no --" + key : "--" + key + " " + (value.isValueNode() ? value.asText() : value);
    }

    private static boolean same(@Nullable JsonNode theirs, @Nullable JsonNode ours) {
        if (theirs == null || ours == null) {
            return theirs == null && ours == null;
        }
        if (theirs.isNumber() && ours.isNumber()) {
            return theirs.asDouble() == ours.asDouble();
        }
        return theirs.equals(ours) || (theirs.isValueNode() && theirs.asText().equals(ours.asText()));
    }
}
