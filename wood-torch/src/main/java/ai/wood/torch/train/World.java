package ai.wood.torch.train;

import ai.wood.data.BatchShard;
import java.time.Duration;

/**
 * The processes that train one network together, and the place of this one among them. Each takes an equal part of every
 * batch; they exchange gradients and the statistics of batches, so that the result is that of one process up to rounding.
 *
 * @param size how many there are
 * @param rank which of them this is, from 0; rank 0 writes the run folder and validates
 * @param host where rank 0 listens, as a name or an address that all of them reach
 * @param port where rank 0 listens
 * @param timeout the longest that one waits for another: at the start, in a step, while rank 0 validates
 * @param address this machine's address, at which the other processes reach it; empty to find it
 */
public record World(int size, int rank, String host, int port, Duration timeout, String address) {

    /** One process, which waits for nobody. */
    public static final World ALONE = new World(1, 0, "localhost", 1, Duration.ofMinutes(5));

    /** A process whose own address is found. */
    public World(int size, int rank, String host, int port, Duration timeout) {
        this(size, rank, host, port, timeout, "");
    }

    public World {
        if (size < 1 || rank < 0 || rank >= size) {
            throw new IllegalArgumentException(
                    "ranks count from 0 to one less than the world has but this is rank " + rank + " of " + size);
        }
        if (host.isBlank() || port < 1 || port > 65535) {
            throw new IllegalArgumentException(
                    "ranks meet at a host and a port from 1 to 65535 but got '" + host + ":" + port + "'");
        }
        if (timeout.compareTo(Duration.ofSeconds(1)) < 0) {
            throw new IllegalArgumentException("the timeout must be at least a second but is " + timeout);
        }
    }

    /** The part of every batch that this process takes. */
    BatchShard shard() {
        return new BatchShard(rank, size);
    }
}
