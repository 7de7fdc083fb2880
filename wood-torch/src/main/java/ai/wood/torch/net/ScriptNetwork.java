package ai.wood.torch.net;

import ai.wood.torch.Architecture;
import ai.wood.torch.Engine;
import ai.wood.torch.Layout;
import ai.wood.torch.Layout.Role;
import ai.wood.torch.Layout.Slot;
import ai.wood.torch.NativeScope;
import ai.wood.torch.Pass;
import ai.wood.torch.Tensors;
import ai.wood.torch.Weights;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.stream.LongStream;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.IValueVector;
import org.bytedeco.pytorch.JitModule;
import org.bytedeco.pytorch.NamedTensor;
import org.bytedeco.pytorch.Obj;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TupleElements;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.named_buffer_iterator;
import org.bytedeco.pytorch.named_buffer_list;
import org.bytedeco.pytorch.named_parameter_iterator;
import org.bytedeco.pytorch.named_parameter_list;

/**
 * A network that was exported from Python by {@code torch.jit.script} or {@code torch.jit.trace}, to be scored or
 * trained on.
 *
 * <p>A script that returns a pair gives logits and features; one that returns a tensor gives logits, which then stand in
 * for the features. Weights start as the file has them. A network that behaves differently in training must be scripted:
 * tracing freezes that choice.
 */
public final class ScriptNetwork implements Architecture {

    private final Path file;
    private final JitModule module;
    private final Layout layout = new Layout();
    private final Map<Weights, JitModule> bound = new WeakHashMap<>();

    private ScriptNetwork(Path file, JitModule module) {
        this.file = file;
        this.module = NativeScope.retain(module);
        named_parameter_list parameters = module.named_parameters();
        for (named_parameter_iterator i = parameters.begin(); i.notEquals(parameters.end()); i = i.increment()) {
            NamedTensor named = i.multiply();
            declare(named, named.value().dim() > 1 ? Role.WEIGHT : Role.OFFSET);
        }
        named_buffer_list buffers = module.named_buffers();
        for (named_buffer_iterator i = buffers.begin(); i.notEquals(buffers.end()); i = i.increment()) {
            if (i.multiply().value().is_floating_point()) {
                declare(i.multiply(), Role.STATISTIC);
            }
        }
    }

    /**
     * Loads a TorchScript file.
     *
     * @throws IOException where it is none
     */
    public static ScriptNetwork load(Path file) throws IOException {
        Engine.start();
        if (!Files.isReadable(file)) {
            throw new IOException(file + ": there is no file to read");
        }
        try {
            return NativeScope.call(() -> new ScriptNetwork(file, torch.load(file.toString())));
        } catch (RuntimeException e) {
            String reason = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
            throw new IOException(
                    file + ": libtorch cannot load it as TorchScript (" + reason
                            + "). Maybe it holds a state_dict; export the network with torch.jit.script.",
                    e);
        }
    }

    private void declare(NamedTensor named, Role role) {
        float[] values = Tensors.floats(named.value());
        List<Long> shape =
                LongStream.of(named.value().sizes().vec().get()).boxed().toList();
        layout.add(new Slot(named.name().getString(), role, shape, (random, size) -> values.clone()));
    }

    @Override
    public Layout layout() {
        return layout;
    }

    @Override
    public Activations forward(Pass pass, Tensor images) {
        JitModule script = bind(pass.weights(), pass.training());
        IValue result = script.forward(new IValueVector(new IValue(images)));
        if (result.isTuple()) {
            TupleElements pair = result.toTuple().elements();
            return new Activations(pair.get(0).toTensor(), pair.get(1).toTensor());
        }
        Tensor logits = result.toTensor();
        return new Activations(logits, logits);
    }

    /** A copy of the script whose tensors are the given ones, so that gradients reach them, in the mode asked for. */
    private synchronized JitModule bind(Weights weights, boolean training) {
        JitModule script = bound.computeIfAbsent(
                weights,
                w -> NativeScope.call(() -> {
                    JitModule copy = NativeScope.retain(module.deepcopy());
                    w.closeWith(copy);
                    for (Slot slot : layout.slots()) {
                        String[] path = slot.name().split("\\.", -1);
                        Obj owner = copy._ivalue();
                        for (int i = 0; i < path.length - 1; i++) {
                            owner = owner.getAttr(path[i]).toObject();
                        }
                        owner.setAttr(path[path.length - 1], new IValue(w.view(slot.name())));
                    }
                    return copy;
                }));
        if (script.is_training() != training) {
            script.train(training);
        }
        return script;
    }

    /** The file it was loaded from. */
    public Path file() {
        return file;
    }

    @Override
    public String toString() {
        return "ScriptNetwork[" + file.getFileName() + "]";
    }
}
