package ai.wood.torch.train;

import ai.wood.torch.NativeScope;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.bytedeco.pytorch.Tensor;

/** Ranks that are threads of this process. */
final class ThreadRanks implements Ranks {

    private final int rank;
    private final Tensor[] shown;
    private final CyclicBarrier barrier;

    private ThreadRanks(int rank, Tensor[] shown, CyclicBarrier barrier) {
        this.rank = rank;
        this.shown = shown;
        this.barrier = barrier;
    }

    /** What each of several ranks comes to, doing the same work. */
    static <T> List<T> run(int size, Function<Ranks, T> work) throws InterruptedException, ExecutionException {
        Tensor[] shown = new Tensor[size];
        CyclicBarrier barrier = new CyclicBarrier(size);
        ExecutorService threads = Executors.newFixedThreadPool(size);
        try {
            List<Future<T>> futures = new ArrayList<>();
            for (int rank = 0; rank < size; rank++) {
                Ranks ranks = new ThreadRanks(rank, shown, barrier);
                futures.add(threads.submit(() -> work.apply(ranks)));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> future : futures) {
                results.add(future.get());
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int size() {
        return shown.length;
    }

    @Override
    public void sum(Tensor tensor) {
        NativeScope.runWithoutGradients(() -> {
            shown[rank] = tensor.clone();
            await();
            tensor.zero_();
            for (Tensor part : shown) {
                tensor.add_(part);
            }
            await();
        });
    }

    @Override
    public void spread(Tensor tensor) {
        NativeScope.runWithoutGradients(() -> {
            shown[rank] = tensor.clone();
            await();
            tensor.copy_(shown[0]);
            await();
        });
    }

    private void await() {
        try {
            barrier.await();
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new IllegalStateException(e);
        }
    }
}
