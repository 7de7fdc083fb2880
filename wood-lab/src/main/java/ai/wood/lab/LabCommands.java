package ai.wood.lab;

import ai.wood.cli.CommandProvider;
import java.util.List;

/** The commands of the paper and of measuring. */
public final class LabCommands implements CommandProvider {

    @Override
    public List<Object> commands() {
        return List.of(new TransportCommand(), new BoundCommand(), new ReproduceCommand(), new BenchCommand());
    }
}
