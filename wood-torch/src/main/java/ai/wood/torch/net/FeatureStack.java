package ai.wood.torch.net;

import ai.wood.torch.NativeScope;
import java.util.function.UnaryOperator;
import org.bytedeco.pytorch.MemoryFormatOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.MemoryFormat;

/**
 * Feature maps that grow layer by layer, each layer reading all of them.
 *
 * <p>Where gradients are recorded, each layer concatenates anew, since the gradient needs every stage. Otherwise they are
 * written into one buffer of the final size: nothing is copied twice, and the allocator sees one size instead of one for
 * each layer.
 */
abstract class FeatureStack {

    private FeatureStack() {}

    /** Starts with some maps; {@code channels} is how many there will be at the end. */
    static FeatureStack of(Tensor maps, int channels) {
        return maps.requires_grad() ? new Concatenated(maps) : new Buffered(maps, channels);
    }

    /** Adds the maps that a layer makes of all those before it. */
    abstract void add(UnaryOperator<Tensor> layer);

    /** All maps so far. */
    abstract Tensor maps();

    private static final class Concatenated extends FeatureStack {

        private Tensor maps;

        Concatenated(Tensor maps) {
            this.maps = maps;
        }

        @Override
        void add(UnaryOperator<Tensor> layer) {
            Tensor before = maps;
            maps = NativeScope.tensor(() -> torch.cat(new TensorVector(before, layer.apply(before)), 1));
        }

        @Override
        Tensor maps() {
            return maps;
        }
    }

    private static final class Buffered extends FeatureStack {

        private final Tensor buffer;
        private long filled;

        Buffered(Tensor maps, int channels) {
            long[] shape = {maps.size(0), channels, maps.size(2), maps.size(3)};
            buffer = torch.empty(shape, maps.options(), new MemoryFormatOptional(MemoryFormat.ChannelsLast));
            put(maps);
        }

        @Override
        void add(UnaryOperator<Tensor> layer) {
            NativeScope.run(() -> put(layer.apply(maps())));
        }

        private void put(Tensor more) {
            buffer.narrow(1, filled, more.size(1)).copy_(more);
            filled += more.size(1);
        }

        @Override
        Tensor maps() {
            return buffer.narrow(1, 0, filled);
        }
    }
}
