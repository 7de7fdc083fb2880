package ai.wood.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Datasets: what there is, getting it, looking at it. */
@Command(
        name = "data",
        description = "Lists, fetches and shows datasets.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {DataListCommand.class, DataFetchCommand.class, DataShowCommand.class},
        footer = {
            "",
            "Examples:",
            "  wood data list",
            "  wood data fetch cifar10 svhn",
            "  wood data show fashion-mnist-small",
            "  wood data show folder:my-photos --shape 3x64x64"
        })
final class DataCommand implements Runnable {

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
