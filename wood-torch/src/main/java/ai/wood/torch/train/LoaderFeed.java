package ai.wood.torch.train;

import ai.wood.data.Batch;
import ai.wood.data.Loader;
import ai.wood.data.LoaderOptions;
import ai.wood.data.Shape;
import ai.wood.torch.NativeScope;
import ai.wood.torch.Tensors;
import java.util.Collections;
import java.util.Iterator;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.MemoryFormat;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** Batches that a {@link Loader} makes on the main processor. */
final class LoaderFeed implements Feed {

    private final Loader loader;
    private final Tensor images;
    private final Tensor labels;
    private Iterator<Batch> batches = Collections.emptyIterator();
    private int epoch = -1;
    private int next;

    LoaderFeed(TrainData data, LoaderOptions options, Device device) {
        loader = new Loader(data.ind(), data.ood(), options);
        Shape shape = loader.shape();
        int ind = options.shard().of(options.ind());
        long[] sizes = {ind + options.shard().of(options.ood()), shape.channels(), shape.height(), shape.width()};
        images = NativeScope.kept(
                () -> torch.zeros(sizes).to(device, ScalarType.Float).contiguous(MemoryFormat.ChannelsLast));
        labels = NativeScope.kept(() -> torch.zeros(ind).to(device, ScalarType.Long));
    }

    @Override
    public int steps() {
        return loader.steps();
    }

    @Override
    public void drawOodFrom(int[] indices) {
        loader.drawOodFrom(indices);
        epoch = -1;
    }

    @Override
    public void load(int epoch, int step) {
        if (this.epoch != epoch || next != step) {
            batches = loader.epoch(epoch, step).iterator();
        }
        Batch batch = batches.next();
        int[] classes = new int[batch.ind()];
        batch.labels().get(classes);
        NativeScope.runWithoutGradients(() -> {
            images.copy_(torch.from_blob(
                    new FloatPointer(batch.values()), images.sizes().vec().get()));
            labels.copy_(Tensors.of(classes, labels.device()));
        });
        this.epoch = epoch;
        this.next = step + 1;
    }

    @Override
    public Tensor images() {
        return images;
    }

    @Override
    public Tensor labels() {
        return labels;
    }

    @Override
    public void close() {
        loader.close();
        images.releaseReference();
        labels.releaseReference();
    }
}
