package ai.wood.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.UsageMessageSpec;

/** What stands below the options in help: paragraphs fill the lines, examples stay as they are typed. */
final class Footer {

    private static final String INDENT = "  ";

    private Footer() {}

    /** Sets the footers of a command line and of all its commands. */
    static void lay(CommandLine line) {
        line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_FOOTER, Footer::text);
        line.getSubcommands().values().forEach(Footer::lay);
    }

    private static String text(Help help) {
        UsageMessageSpec usage = help.commandSpec().usageMessage();
        StringBuilder text = new StringBuilder();
        List<String> words = new ArrayList<>();
        for (String written : usage.footer()) {
            String line = written.replace("%%", "%");
            if (line.isEmpty() || line.startsWith(INDENT)) {
                fill(text, words, usage.width());
                text.append(line).append(System.lineSeparator());
            } else {
                words.addAll(List.of(line.split(" ")));
            }
        }
        fill(text, words, usage.width());
        return text.toString();
    }

    private static void fill(StringBuilder text, List<String> words, int width) {
        int column = 0;
        for (String word : words) {
            boolean fits = column + 1 + word.length() <= width;
            text.append(column == 0 ? "" : fits ? " " : System.lineSeparator()).append(word);
            column = column > 0 && fits ? column + 1 + word.length() : word.length();
        }
        text.append(words.isEmpty() ? "" : System.lineSeparator());
        words.clear();
    }
}
