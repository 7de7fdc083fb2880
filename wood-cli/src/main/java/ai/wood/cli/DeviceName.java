package ai.wood.cli;

import ai.wood.torch.Devices;
import picocli.CommandLine.Option;

/** The option that says where a network runs. */
public final class DeviceName {

    @Option(
            names = "--device",
            paramLabel = "D",
            defaultValue = "auto",
            description = "auto, cpu, cuda, cuda:1. Default: a GPU where there is one.")
    private String name;

    public String name() {
        return name;
    }

    /** The device itself where {@code auto} leaves the choice. */
    public String resolved() {
        return Devices.resolve(name);
    }
}
