package ai.wood.torch.train;

import ai.wood.torch.Devices;
import ai.wood.torch.NativeScope;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.bytedeco.cuda.cudart.CUgraphExec_st;
import org.bytedeco.cuda.cudart.CUgraph_st;
import org.bytedeco.cuda.global.cudart;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.cuda.CUDAAllocator;
import org.bytedeco.pytorch.cuda.CUDAStream;
import org.bytedeco.pytorch.cuda.DeviceAssertionsDataVectorCUDAKernelLaunchInfoVectorPair;
import org.bytedeco.pytorch.cuda.StreamFilter;
import org.bytedeco.pytorch.global.torch_cuda;
import org.jspecify.annotations.Nullable;

/**
 * A GPU's queue for the work of one thread, which can record work and play it back: thousands of small operations then
 * cost one call (a CUDA graph).
 *
 * <p>The binding has no class for graphs; they are made by the CUDA runtime's own calls, with libtorch's allocator sent
 * to memory that belongs to the recording.
 */
final class CudaQueue implements AutoCloseable {

    private static final AtomicLong RECORDINGS = new AtomicLong();

    /** Streams whose queues were closed, by device: cuBLAS keeps memory for each it has seen, so they serve again. */
    private static final Map<Byte, Queue<CUDAStream>> IDLE = new ConcurrentHashMap<>();

    private final Device device;
    private final CUDAStream stream;
    private final byte before; // the thread's device
    private final List<Pointer> kept = new ArrayList<>();
    private final List<Runnable> recorded = new ArrayList<>(); // what gives back the memory of recordings

    /** Opens a queue; from now on the calling thread's work on the device goes through it. */
    public CudaQueue(Device device) {
        Devices.await(device); // what the thread has sent through another queue
        this.device = device;
        this.before = torch_cuda.ExchangeDevice(device.index());
        CUDAStream used = idle().poll();
        this.stream = used != null ? used : NativeScope.retain(torch_cuda.getStreamFromPool(false, device.index()));
        torch_cuda.setCurrentCUDAStream(stream);
    }

    /**
     * Records work without doing it, for {@link Runnable#run} of the result to do it, any number of times, until the
     * queue is closed. Tensors that it reads or writes must stay where they are.
     *
     * @throws IllegalStateException or what the work throws, where it holds operations that cannot be recorded; the
     *     thread may go on without a recording
     */
    public Runnable record(Runnable work) {
        Devices.await(device);
        CUDAAllocator allocator = torch_cuda.getAllocator();
        allocator.emptyCache(); // a recording has memory of its own and cannot use what lies idle
        var memory = keep(new DeviceAssertionsDataVectorCUDAKernelLaunchInfoVectorPair(
                keep(new LongPointer(RECORDINGS.incrementAndGet(), 0L)))); // the binding's name for a pool's id
        CUgraph_st graph = keep(new CUgraph_st());
        allocator.beginAllocateToPool(device.index(), memory, keep(new Own(stream)));
        Runnable release = () -> allocator.releasePool(device.index(), memory);
        boolean done = false;
        try {
            try {
                capture(work, graph);
            } finally {
                allocator.endAllocateToPool(device.index(), memory);
                cudart.cudaGetLastError(); // an aborted recording must not be blamed on what comes next
            }
            CUgraphExec_st playable = keep(new CUgraphExec_st());
            check(cudart.cudaGraphInstantiate(playable, graph, 0L));
            recorded.add(release);
            recorded.add(() -> check(cudart.cudaGraphExecDestroy(playable)));
            done = true;
            return () -> check(cudart.cudaGraphLaunch(playable, stream.stream()));
        } finally {
            if (!graph.isNull()) {
                cudart.cudaGraphDestroy(graph);
            }
            if (!done) {
                release.run(); // what comes next needs the memory
            }
        }
    }

    private void capture(Runnable work, CUgraph_st graph) {
        check(cudart.cudaStreamBeginCapture(stream.stream(), cudart.cudaStreamCaptureModeThreadLocal));
        boolean done = false;
        try {
            work.run();
            done = true;
        } finally {
            int code = cudart.cudaStreamEndCapture(stream.stream(), graph);
            if (done) {
                check(code);
            }
        }
    }

    /** Waits, gives back what recordings took, and sends the thread's further work to the device's common queue. */
    @Override
    public void close() {
        Devices.await(device);
        torch_cuda.setCurrentCUDAStream(torch_cuda.getDefaultCUDAStream(device.index()));
        recorded.forEach(Runnable::run);
        torch_cuda.getAllocator().emptyCache(); // released memory stays the allocator's until then
        torch_cuda.ExchangeDevice(before);
        kept.forEach(Pointer::releaseReference);
        idle().add(stream);
    }

    private Queue<CUDAStream> idle() {
        return IDLE.computeIfAbsent(device.index(), index -> new ConcurrentLinkedQueue<>());
    }

    private <P extends Pointer> P keep(P pointer) {
        kept.add(NativeScope.retain(pointer));
        return pointer;
    }

    private static void check(int code) {
        if (code != 0) {
            throw new IllegalStateException(
                    "CUDA says: " + cudart.cudaGetErrorString(code).getString());
        }
    }

    /** Lets the recording have all memory that is asked for through its own queue. */
    private static final class Own extends StreamFilter {

        private final long queue;

        Own(CUDAStream stream) {
            this.queue = stream.stream().address();
        }

        @Override
        public boolean call(@Nullable Pointer stream) { // null is the common queue
            return stream != null && stream.address() == queue;
        }
    }
}
