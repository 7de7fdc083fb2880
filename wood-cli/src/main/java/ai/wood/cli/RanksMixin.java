package ai.wood.cli;

import ai.wood.torch.train.World;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** How several processes train one network, as options of a command. */
final class RanksMixin {

    private static final Pattern PLACE = Pattern.compile("(.+):(\\d{1,5})");

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--local-processes",
            paramLabel = "N",
            description = "Train in N processes on this machine. On GPUs, each gets one.")
    private @Nullable Integer local;

    @ArgGroup(exclusive = false)
    private @Nullable Place place;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "300",
            description =
                    "Longest wait for another process, including its validation and --mine. Default: ${DEFAULT-VALUE}.")
    private int timeout;

    @Option(
            names = "--address",
            paramLabel = "HOST",
            description =
                    "Address of this machine at which the other processes reach it, on a CPU. Default: the address"
                            + " on the way to rank 0, or else that of the first network interface.")
    private String address = "";

    /** Where this process stands among several. */
    static final class Place {
        @Option(
                names = "--world",
                paramLabel = "N",
                required = true,
                description = "Train in N processes, each started with the same options and its own --rank.")
        int size;

        @Option(
                names = "--rank",
                paramLabel = "R",
                required = true,
                description = "Number of this process, from 0. Rank 0 writes the run.")
        int rank;

        @Option(
                names = "--rendezvous",
                paramLabel = "HOST:PORT",
                required = true,
                description = "Where the processes meet: the machine of rank 0, and a free port there.")
        String rendezvous;
    }

    /** Refuses options that are for several processes where there is one. */
    void check() {
        new OptionRules(command)
                .onlyFor("several processes", local != null || place != null, "there is one", "--timeout")
                .onlyFor("processes with a --rank", place != null, "there is none", "--address");
    }

    /** Returns the value of --local-processes; null if it is not set. */
    @Nullable
    Integer local() {
        return local;
    }

    /** Returns the number of processes to start; 1 if this process trains itself. */
    int processes() {
        if (local == null) {
            return 1;
        }
        if (local < 1) {
            throw new IllegalArgumentException("--local-processes must be positive but is " + local);
        }
        if (place != null && place.size != local) {
            throw new IllegalArgumentException("--local-processes starts all ranks itself but is " + local
                    + " while --world is " + place.size + ". Leave out --world, --rank and --rendezvous.");
        }
        return place == null ? local : 1; // with a rank, this is one of the processes that it has started
    }

    /** The place of this process. */
    World world() {
        if (place == null) {
            return World.ALONE;
        }
        Matcher meeting = PLACE.matcher(place.rendezvous);
        if (!meeting.matches()) {
            throw new IllegalArgumentException("--rendezvous must be HOST:PORT but is '" + place.rendezvous + "'");
        }
        return new World(
                place.size,
                place.rank,
                meeting.group(1),
                Integer.parseInt(meeting.group(2)),
                Duration.ofSeconds(timeout),
                address);
    }
}
