package ai.wood.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Which program this is. */
@Command(
        name = "version",
        description = "Prints the version of this program and of Java.",
        footer = {"", "Example:", "  wood version --json"})
final class VersionCommand implements Runnable, IVersionProvider {

    @Spec
    private CommandSpec spec;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    public void run() {
        Map<String, String> values = new LinkedHashMap<>();
        values.put("wood", version());
        values.put("java", Runtime.version().toString());
        spec.commandLine().getOut().println(json ? Json.pretty(values) : getVersion()[0]);
    }

    @Override
    public String[] getVersion() {
        return new String[] {"wood " + version() + " (Java " + Runtime.version() + ")"};
    }

    private static String version() {
        return Optional.ofNullable(Main.class.getPackage().getImplementationVersion())
                .orElse("development");
    }
}
