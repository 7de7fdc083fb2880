package ai.wood.torch.train;

import ai.wood.torch.NativeScope;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.bytedeco.javacpp.chrono.Milliseconds;
import org.bytedeco.pytorch.Backend;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.GlooDeviceVector;
import org.bytedeco.pytorch.ProcessGroupGloo;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.Work;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.nccl.ProcessGroupNCCL;
import org.jspecify.annotations.Nullable;

/**
 * Processes that train together, over PyTorch's own backends: Gloo where the network is on a main processor, NCCL where
 * it is on a GPU.
 *
 * <p>When a rank fails, it puts the reason on the {@link Board} and drops its connections. The others see them dropped,
 * or wait in vain; each says on the board that it is there, and whoever does not is the one that was lost.
 */
final class Group implements Ranks, AutoCloseable {

    /** So long, at most, ranks that are there may take to say so. */
    private static final Duration GRACE = Duration.ofSeconds(10);

    private final World world;
    private final Board board;
    private @Nullable Backend backend;
    private @Nullable RuntimeException broken; // why a message did not come through

    private Group(World world, Board board) {
        this.world = world;
        this.board = board;
    }

    /**
     * Meets the other ranks.
     *
     * @param training what each of them is to train, as JSON: the same
     * @throws RankException where one does not come, or trains something else
     */
    static Group meet(World world, Device device, String training) throws IOException {
        Group group = new Group(world, new Board(world));
        try {
            group.together(() -> {
                group.agree(training);
                group.connect(device);
            });
            return group;
        } catch (IOException | RuntimeException e) {
            group.close();
            throw e;
        }
    }

    /** Rank 0 compares what all are to train, and tells everybody. */
    private void agree(String training) throws IOException {
        if (board.count("came/" + rank()) > 1) {
            throw new RankException("rank " + rank() + " was started twice");
        }
        if (!leads()) {
            board.put("training/" + rank(), training);
            String reason = board.await("agreed", world.timeout().plus(grace()))
                    .orElseThrow(() -> new RankException("rank 0 does not begin. Maybe it waits for another rank."));
            if (!reason.isEmpty()) {
                throw new RankException(reason);
            }
            return;
        }
        long end = System.nanoTime() + world.timeout().toNanos();
        for (int other : others()) {
            Optional<String> theirs =
                    board.await("training/" + other, Duration.ofNanos(Math.max(0, end - System.nanoTime())));
            if (theirs.isEmpty()) {
                throw refused("rank " + other + " did not come to " + world.host() + ":" + world.port() + " within "
                        + world.timeout().toSeconds() + " s");
            }
            Optional<String> difference = Difference.first(theirs.get(), training);
            if (difference.isPresent()) {
                throw refused("all ranks must train the same but rank " + other + " differs from rank 0: "
                        + difference.get() + ". Maybe give all of them the same options and data.");
            }
        }
        board.put("agreed", "");
    }

    private RankException refused(String reason) throws RankException {
        board.put("agreed", reason);
        return new RankException(reason);
    }

    private void connect(Device device) throws IOException {
        Milliseconds patience = new Milliseconds(world.timeout().toMillis());
        String address = OwnAddress.of(world);
        attempt(() -> backend = NativeScope.retain(device.is_cuda() ? nccl(patience) : gloo(patience, address)));
    }

    private Backend gloo(Milliseconds patience, String address) {
        ProcessGroupGloo.Options options = ProcessGroupGloo.Options.create(patience);
        options.devices(new GlooDeviceVector(ProcessGroupGloo.createDeviceForHostname(address)))
                .threads(1);
        return new ProcessGroupGloo(board.store(), rank(), size(), options);
    }

    /** Each message is waited for, so that a lost rank is an exception rather than the end of the process. */
    private Backend nccl(Milliseconds patience) {
        torch.set_env("TORCH_NCCL_BLOCKING_WAIT", "1");
        ProcessGroupNCCL.Options options = ProcessGroupNCCL.Options.create();
        options.timeout(patience);
        return new ProcessGroupNCCL(board.store(), rank(), size(), options);
    }

    @Override
    public int rank() {
        return world.rank();
    }

    @Override
    public int size() {
        return world.size();
    }

    @Override
    public void sum(Tensor tensor) {
        send(backend -> backend.allreduce(new TensorVector(tensor)));
    }

    @Override
    public void spread(Tensor tensor) {
        send(backend -> backend.broadcast(new TensorVector(tensor)));
    }

    private void send(Function<Backend, Work> message) {
        Backend connected = Objects.requireNonNull(backend, "not connected");
        attempt(() -> NativeScope.run(() -> message.apply(connected)._wait()));
    }

    private void attempt(Runnable exchange) {
        try {
            exchange.run();
        } catch (RuntimeException e) {
            broken = e;
            throw e;
        }
    }

    /**
     * Does work that all ranks do.
     *
     * @throws RankException where one of them was lost on the way
     */
    void together(NativeScope.Action<IOException> work) throws IOException {
        try {
            work.run();
        } catch (IOException | RuntimeException e) {
            RuntimeException cause = broken;
            disconnect();
            if (cause != null) {
                throw lost(cause);
            }
            tell(String.valueOf(e.getMessage()));
            throw e;
        }
    }

    /** Puts up why this rank ends; rank 0, who has the board, stays until all that are there have read it. */
    private void tell(String reason) {
        try {
            board.put("end/" + rank(), reason);
            depart(others());
        } catch (RankException e) {
            broken = new IllegalStateException(e); // nobody is left to tell
        }
    }

    private void depart(List<Integer> readers) throws RankException {
        board.put("read/" + rank(), "");
        if (leads()) {
            answers("read/", readers);
        }
    }

    /** Finds out who was lost. */
    private RankException lost(RuntimeException cause) {
        try {
            board.put("end/" + rank(), "");
            Map<Integer, String> answers = answers("end/", others());
            depart(List.copyOf(answers.keySet()));
            return new RankException(explain(answers, cause), cause);
        } catch (RankException e) {
            return e;
        }
    }

    private String explain(Map<Integer, String> answers, RuntimeException cause) {
        for (Map.Entry<Integer, String> answer : answers.entrySet()) {
            if (!answer.getValue().isEmpty()) {
                return "rank " + answer.getKey() + " stopped: " + answer.getValue();
            }
        }
        List<Integer> silent =
                others().stream().filter(other -> !answers.containsKey(other)).toList();
        if (silent.isEmpty()) {
            return "ranks lost their connections though all are there: "
                    + String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
        }
        return (silent.size() == 1 ? "rank " + silent.get(0) : "ranks " + silent)
                + " was lost: killed, out of reach, or without an answer for "
                + world.timeout().toSeconds() + " s. train goes on from the last checkpoint with --resume.";
    }

    /** The texts of the ranks that have put one up, after some seconds for them to do so. */
    private Map<Integer, String> answers(String name, List<Integer> asked) throws RankException {
        long end = System.nanoTime() + grace().toNanos();
        Map<Integer, String> answers = new TreeMap<>();
        for (int other : asked) {
            board.await(name + other, Duration.ofNanos(Math.max(0, end - System.nanoTime())))
                    .ifPresent(text -> answers.put(other, text));
        }
        return answers;
    }

    private Duration grace() {
        return GRACE.compareTo(world.timeout()) < 0 ? GRACE : world.timeout();
    }

    private List<Integer> others() {
        return IntStream.range(0, size())
                .filter(other -> other != rank())
                .boxed()
                .toList();
    }

    private void disconnect() {
        if (backend != null) {
            backend.releaseReference();
            backend = null;
        }
    }

    @Override
    public void close() {
        disconnect();
        board.close();
    }
}
