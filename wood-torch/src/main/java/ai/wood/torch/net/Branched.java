package ai.wood.torch.net;

import ai.wood.torch.Architecture;
import ai.wood.torch.Layout;
import ai.wood.torch.Pass;
import java.util.LinkedHashMap;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;

/**
 * A network that says more than its classes: one more linear layer on the features, beside the one that makes logits.
 *
 * @param network must end in a linear layer
 * @param name of the branch
 * @param outputs how many numbers it gives
 */
public record Branched(Architecture network, String name, int outputs) implements Architecture {

    public Branched {
        if (outputs < 1) {
            throw new IllegalArgumentException("branch " + name + " must have at least 1 output but has " + outputs);
        }
    }

    @Override
    public Layout layout() {
        Layout layout = network.layout();
        return layout.linear(name, width(layout), outputs);
    }

    private int width(Layout layout) {
        String head = layout.head()
                .orElseThrow(() -> new IllegalArgumentException(
                        "branch " + name + " needs a network with a linear last layer but " + network + " has none"));
        return Math.toIntExact(layout.slot(head + ".weight").shape().get(1));
    }

    @Override
    public Activations forward(Pass pass, Tensor images) {
        Activations said = network.forward(pass, images);
        Map<String, Tensor> branches = new LinkedHashMap<>(said.branches());
        branches.put(name, pass.linear(name, said.features()));
        return new Activations(said.logits(), said.features(), branches);
    }
}
