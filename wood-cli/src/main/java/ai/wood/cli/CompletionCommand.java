package ai.wood.cli;

import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Commands and options on the tabulator key. */
@Command(
        name = "completion",
        description = "Prints a script that lets bash and zsh complete commands, options and their values.",
        footer = {
            "",
            "Example (in ~/.bashrc or ~/.zshrc):",
            "  source <(wood completion)",
        })
final class CompletionCommand implements Runnable {

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        String script = AutoComplete.bash("wood", Main.commandLine());
        String denied = script.replace("'--augment'", "'--augment' '--no-augment'"); // which picocli leaves out
        spec.commandLine().getOut().print(denied);
    }
}
