package ai.wood.cli;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.Column.Overflow;
import picocli.CommandLine.Help.TextTable;
import picocli.CommandLine.Model.UsageMessageSpec;

/** What people come to do. Help lists the commands by it. */
enum Task {
    START("Start here", "demo", "doctor"),
    DATA("Data", "data"),
    TRAIN("Train", "train", "tune", "adopt"),
    JUDGE("Judge", "calibrate", "detect", "score", "bundle", "export", "serve"),
    MEASURE("Measure", "evaluate", "metrics", "reproduce", "bench"),
    UNDERSTAND("Understand", "transport", "bound"),
    TOOLS("Tools", "version", "completion");

    private static final int NAME_WIDTH = 14;

    private final String title;
    private final List<String> commands;

    Task(String title, String... commands) {
        this.title = title;
        this.commands = List.of(commands);
    }

    /** Lists the commands of a command line by task. */
    static void group(CommandLine line) {
        line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING, help -> "");
        line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, Task::list);
    }

    private static String list(Help help) {
        StringBuilder text = new StringBuilder();
        Set<String> left = new TreeSet<>(help.subcommands().keySet());
        for (Task task : values()) {
            List<String> names = task.commands.stream().filter(left::remove).toList();
            text.append(names.isEmpty() ? "" : section(help, task.title, names));
        }
        return text.append(left.isEmpty() ? "" : section(help, "More", List.copyOf(left)))
                .toString();
    }

    private static String section(Help help, String title, List<String> names) {
        UsageMessageSpec usage = help.commandSpec().usageMessage();
        TextTable table = TextTable.forColumns(
                help.colorScheme(),
                new Column(NAME_WIDTH, 2, Overflow.SPAN),
                new Column(usage.width() - NAME_WIDTH, 2, Overflow.WRAP));
        for (String name : names) {
            table.addRowValues(
                    help.colorScheme().commandText(name), help.colorScheme().text(description(help, name)));
        }
        return help.createHeading("%n" + title + "%n") + table;
    }

    private static String description(Help help, String name) {
        Help command = Objects.requireNonNull(help.subcommands().get(name));
        String[] lines = command.commandSpec().usageMessage().description();
        return lines.length == 0 ? "" : lines[0];
    }
}
