package ai.wood.torch;

import ai.wood.io.Safetensors;
import ai.wood.io.SafetensorsWriter;
import ai.wood.torch.Layout.Role;
import ai.wood.torch.Layout.Slot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/**
 * The numbers of a network: all trained values in one flat tensor, all running statistics in another, and a named view
 * into them for each tensor of the {@link Layout}.
 *
 * <p>The views are the leaves of the gradient, so an update of the flat tensor is an update of every layer: a handful of
 * operations for the whole network. Convolution weights lie channels-last in the flat tensor, and every view starts at a
 * multiple of {@value #ALIGNMENT} values, as GPUs want it; the gaps hold zeros.
 */
public final class Weights implements AutoCloseable {

    private static final long ALIGNMENT = 64;

    private final Layout layout;
    private final Tensor parameters;
    private final Tensor statistics;
    private final Map<String, Tensor> views = new LinkedHashMap<>();
    private final List<Pointer> holders = new ArrayList<>();

    private Weights(Layout layout, Tensor parameters, Tensor statistics) {
        this.layout = layout;
        this.parameters = NativeScope.retain(parameters);
        this.statistics = NativeScope.retain(statistics);
        long parameter = 0;
        long statistic = 0;
        for (Slot slot : layout.slots()) {
            boolean trained = slot.role() != Role.STATISTIC;
            Tensor flat = trained ? parameters : statistics;
            Tensor view = shaped(flat.narrow(0, trained ? parameter : statistic, slot.size()), slot)
                    .detach();
            views.put(slot.name(), NativeScope.retain(view.set_requires_grad(trained)));
            parameter += trained ? aligned(slot) : 0;
            statistic += trained ? 0 : aligned(slot);
        }
    }

    /** Fresh weights on a device: the same for the same seed, on every machine. */
    public static Weights initial(Layout layout, long seed, Device device) {
        return NativeScope.callWithoutGradients(() -> {
            Weights weights = zeros(layout, device);
            try {
                weights.draw(new SplittableRandom(seed));
                return weights;
            } catch (RuntimeException e) {
                weights.close();
                throw e;
            }
        });
    }

    /**
     * The weights of a file, which must hold every tensor of the layout in its shape; others are ignored (PyTorch also
     * stores a counter per batch normalisation).
     *
     * @throws IOException naming the tensor that is missing or of another shape
     */
    public static Weights read(Layout layout, Safetensors file, Device device) throws IOException {
        requireShapes(layout, file); // before memory is taken for what a description claims
        return NativeScope.callWithoutGradients(() -> {
            Weights weights = zeros(layout, device);
            try {
                weights.fill(file);
                return weights;
            } catch (IOException | RuntimeException e) {
                weights.close();
                throw e;
            }
        });
    }

    private static void requireShapes(Layout layout, Safetensors file) throws IOException {
        for (Slot slot : layout.slots()) {
            List<Long> shape = file.entry(slot.name()).shape();
            if (!shape.equals(slot.shape())) {
                throw new IOException(file + ": tensor '" + slot.name() + "' must have the shape " + slot.shape()
                        + " but has " + shape + ". Maybe the file is of another network.");
            }
        }
    }

    private void draw(SplittableRandom random) {
        for (Slot slot : layout.slots()) {
            set(slot.name(), slot.start().draw(random, Math.toIntExact(slot.size())));
        }
    }

    private void fill(Safetensors file) throws IOException {
        for (Slot slot : layout.slots()) {
            set(slot.name(), file.floats(slot.name()));
        }
    }

    /** Another copy of the same numbers. */
    public Weights copy() {
        return NativeScope.call(() -> new Weights(layout, parameters.clone(), statistics.clone()));
    }

    /** Adds every tensor to a file, under its name and in PyTorch's shape. */
    public void write(SafetensorsWriter file) {
        for (Slot slot : layout.slots()) {
            file.add(slot.name(), slot.dimensions(), Tensors.floats(view(slot.name())));
        }
    }

    public Layout layout() {
        return layout;
    }

    /** All trained values, in the order of the layout, with zeros in the gaps. */
    public Tensor parameters() {
        return parameters;
    }

    /** All running statistics, in the order of the layout, with zeros in the gaps. */
    public Tensor statistics() {
        return statistics;
    }

    /**
     * One tensor, as a view of the flat ones.
     *
     * @throws IllegalArgumentException where the layout has none of this name
     */
    public Tensor view(String name) {
        Tensor view = views.get(name);
        if (view == null) {
            throw new IllegalArgumentException("the layout has no tensor called '" + name + "'");
        }
        return view;
    }

    /** A copy of one tensor's values, in PyTorch's order. */
    public float[] floats(String name) {
        return Tensors.floats(view(name));
    }

    /** The gradients of all trained values in the order of {@link #parameters()}, taken from the views. */
    public Tensor takeGradients() {
        return joined(slot -> {
            Tensor view = view(slot.name());
            Tensor gradient = view.grad().defined() ? view.grad() : torch.zeros_like(view);
            Tensor flat = flat(gradient, slot);
            view.mutable_grad().reset();
            return flat;
        });
    }

    /** For every trained value, one where weight decay applies and zero where not. */
    public Tensor decayMask() {
        return joined(slot -> {
            Tensor part = parameters.narrow(0, 0, slot.size());
            return slot.role() == Role.WEIGHT ? torch.ones_like(part) : torch.zeros_like(part);
        });
    }

    /** Values of every trained slot in the order of {@link #parameters()}, with zeros in the gaps. */
    private Tensor joined(Function<Slot, Tensor> values) {
        return NativeScope.tensor(() -> {
            TensorVector parts = new TensorVector();
            Tensor gap = torch.zeros_like(parameters.narrow(0, 0, ALIGNMENT));
            for (Slot slot : layout.slots()) {
                if (slot.role() != Role.STATISTIC) {
                    parts.push_back(values.apply(slot));
                    if (aligned(slot) > slot.size()) {
                        parts.push_back(gap.narrow(0, 0, aligned(slot) - slot.size()));
                    }
                }
            }
            return torch.cat(parts, 0);
        });
    }

    /** Frees something that was retained and holds these tensors together with them. */
    public void closeWith(Pointer holder) {
        holders.add(holder);
    }

    /** Frees the native memory; no view may be used afterwards. */
    @Override
    public void close() {
        holders.forEach(Pointer::releaseReference);
        holders.clear();
        List<Tensor> all = new ArrayList<>(views.values());
        views.clear();
        all.add(parameters);
        all.add(statistics);
        all.forEach(Tensor::releaseReference);
    }

    private static Weights zeros(Layout layout, Device device) {
        long trained = length(layout, true);
        long statistics = length(layout, false);
        return new Weights(
                layout,
                torch.zeros(trained).to(device, torch.ScalarType.Float),
                torch.zeros(statistics).to(device, torch.ScalarType.Float));
    }

    private static long length(Layout layout, boolean trained) {
        return layout.slots().stream()
                .filter(slot -> trained == (slot.role() != Role.STATISTIC))
                .mapToLong(Weights::aligned)
                .sum();
    }

    private static long aligned(Slot slot) {
        return (slot.size() + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    private void set(String name, float[] values) {
        NativeScope.runWithoutGradients(() -> {
            Tensor view = view(name);
            view.copy_(Tensors.of(values, view.device(), view.sizes().vec().get()));
        });
    }

    /** A convolution weight is stored out x height x width x in and seen as out x in x height x width. */
    private static Tensor shaped(Tensor flat, Slot slot) {
        long[] shape = slot.dimensions();
        return shape.length == 4
                ? flat.view(shape[0], shape[2], shape[3], shape[1]).permute(0, 3, 1, 2)
                : flat.view(shape);
    }

    private static Tensor flat(Tensor gradient, Slot slot) {
        Tensor stored = slot.shape().size() == 4 ? gradient.permute(0, 2, 3, 1) : gradient;
        return stored.reshape(slot.size());
    }
}
