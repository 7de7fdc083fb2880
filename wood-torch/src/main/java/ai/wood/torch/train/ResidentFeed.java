package ai.wood.torch.train;

import ai.wood.data.Dataset;
import ai.wood.data.LoadPlan;
import ai.wood.data.LoaderOptions;
import ai.wood.data.Shape;
import ai.wood.data.transform.Cutout;
import ai.wood.data.transform.Normalise;
import ai.wood.torch.NativeScope;
import ai.wood.torch.Tensors;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * Batches made on the device: all images lie there as bytes, pixel after pixel, and one look-up takes a step's images
 * in their order, shifted, mirrored and partly hidden. Only a few numbers an image travel, once an epoch.
 */
final class ResidentFeed implements Feed {

    /** Images are sent in portions of about so many bytes. */
    private static final int PORTION = 1 << 24;

    private final LoadPlan plan;
    private final Shape shape;
    private final int ind;
    private final Device device;
    private final List<Tensor> kept = new ArrayList<>();
    /** (images * area + 2) x channels bytes, the last two black for what lies outside and grey for what is hidden. */
    private final Tensor pixels;

    private final Tensor classes; // of every InD image
    private final Tensor mean;
    private final Tensor deviation;
    private final Tensor batch; // LoadPlan.FIELDS numbers for each place of the step
    private final Tensor plans; // the same for every step of the epoch
    private int epoch = -1;
    private int[] choice = {};

    ResidentFeed(LoadPlan plan, LoaderOptions options, Device device) {
        this.plan = plan;
        this.shape = plan.sources().get(0).shape();
        this.ind = plan.ind();
        this.device = device;
        Normalise normalise = options.normalise();
        Dataset learnt = plan.sources().get(0);
        try {
            mean = kept(() -> floats(normalise.mean()));
            deviation = kept(() -> floats(normalise.deviation()));
            classes = kept(() -> Tensors.of(learnt.labels(), device));
            plans = kept(() -> zeros((long) plan.steps() * plan.batch()));
            batch = kept(() -> zeros(plan.batch()));
            pixels = kept(this::upload);
        } catch (RuntimeException e) { // they may not fit
            close();
            throw e;
        }
    }

    private Tensor kept(Supplier<Tensor> tensor) {
        kept.add(NativeScope.kept(tensor));
        return kept.get(kept.size() - 1);
    }

    private Tensor zeros(long places) {
        return torch.zeros(places, LoadPlan.FIELDS).to(device, ScalarType.Long);
    }

    private Tensor floats(List<Double> values) {
        float[] floats = new float[values.size()];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = values.get(i).floatValue();
        }
        return Tensors.of(floats, device, floats.length);
    }

    private Tensor upload() {
        long images = plan.sources().stream().mapToLong(Dataset::size).sum();
        Tensor all = torch.zeros(new long[] {images * shape.area() + 2, shape.channels()}, Tensors.bytesOn(device));
        all.select(0, -1).fill_(new Scalar(Byte.toUnsignedInt(Cutout.GREY)));
        int portion = portion(shape);
        long done = 0;
        for (Dataset source : plan.sources()) {
            for (int start = 0; start < source.size(); start += portion) {
                int from = start;
                int count = Math.min(portion, source.size() - start);
                long at = (done + start) * shape.area();
                NativeScope.run(
                        () -> all.narrow(0, at, (long) count * shape.area()).copy_(portion(source, from, count)));
            }
            done += source.size();
        }
        return all;
    }

    /** How many images are sent at once. */
    static int portion(Shape shape) {
        return Math.max(1, PORTION / shape.length());
    }

    /** Images as (count * area) x channels bytes. */
    private Tensor portion(Dataset source, int from, int count) {
        byte[] bytes = new byte[count * shape.length()];
        IntStream.range(0, count)
                .parallel()
                .forEach(i -> source.get(from + i).image().copy(0, bytes, i * shape.length(), shape.length()));
        return Tensors.of(bytes, device, count, shape.channels(), shape.area())
                .permute(0, 2, 1)
                .reshape((long) count * shape.area(), shape.channels());
    }

    @Override
    public int steps() {
        return plan.steps();
    }

    @Override
    public void drawOodFrom(int[] indices) {
        choice = indices.clone();
        epoch = -1;
    }

    @Override
    public void load(int epoch, int step) {
        NativeScope.runWithoutGradients(() -> {
            if (this.epoch != epoch) {
                plans.copy_(Tensors.of(plan.epoch(epoch, choice), device).view(-1, LoadPlan.FIELDS));
                this.epoch = epoch;
            }
            batch.copy_(plans.narrow(0, (long) step * plan.batch(), plan.batch()));
        });
    }

    @Override
    public Tensor images() {
        return NativeScope.tensor(() -> pixels.index_select(0, places())
                .to(ScalarType.Float)
                .div_(new Scalar(255))
                .sub_(mean)
                .div_(deviation)
                .view(plan.batch(), shape.height(), shape.width(), shape.channels())
                .permute(0, 3, 1, 2));
    }

    /** Where each pixel of the batch lies: {@code out[y][x] = in[y - down][(mirrored ? width - 1 - x : x) - right]}. */
    private Tensor places() {
        int height = shape.height();
        int width = shape.width();
        Tensor across = field(3).mul(count(width).mul(new Scalar(-2)).add(new Scalar(width - 1)));
        Tensor x = count(width).add(across).sub(field(2));
        Tensor y = count(height).sub(field(1));
        Tensor inside =
                within(y, height).unsqueeze(2).logical_and(within(x, width).unsqueeze(1));
        Tensor place = field(0).mul(new Scalar(shape.area()))
                .unsqueeze(2)
                .add(y.mul(new Scalar(width)).unsqueeze(2))
                .add(x.unsqueeze(1));
        Tensor hidden = within(count(height).sub(field(4)), field(6))
                .unsqueeze(2)
                .logical_and(within(count(width).sub(field(5)), field(6)).unsqueeze(1));
        return place.masked_fill(inside.logical_not(), new Scalar(pixels.size(0) - 2))
                .masked_fill(hidden, new Scalar(pixels.size(0) - 1))
                .view(-1);
    }

    /** A number of each place of the batch, as a column. */
    private Tensor field(int index) {
        return batch.narrow(1, index, 1);
    }

    private Tensor count(int size) {
        return torch.arange(new Scalar(size), batch.options());
    }

    private static Tensor within(Tensor index, int size) {
        return index.ge(new Scalar(0)).logical_and(index.lt(new Scalar(size)));
    }

    private static Tensor within(Tensor index, Tensor size) {
        return index.ge(new Scalar(0)).logical_and(index.lt(size));
    }

    @Override
    public Tensor labels() {
        return classes.index_select(0, batch.narrow(0, 0, ind).select(1, 0));
    }

    @Override
    public void close() {
        kept.forEach(Tensor::releaseReference);
    }
}
