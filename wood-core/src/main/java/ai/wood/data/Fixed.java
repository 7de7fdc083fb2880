package ai.wood.data;

import ai.wood.Dataset;
import ai.wood.Sample;
import ai.wood.Shape;
import ai.wood.Split;
import java.util.List;

/** A dataset without its chance: whatever would be made or chosen anew each time is always the one at its index. */
public record Fixed(Dataset original) implements Dataset {

    @Override
    public String name() {
        return original.name();
    }

    @Override
    public Split split() {
        return original.split();
    }

    @Override
    public List<String> classes() {
        return original.classes();
    }

    @Override
    public Shape shape() {
        return original.shape();
    }

    @Override
    public int size() {
        return original.size();
    }

    @Override
    public Sample get(int index) {
        return original.get(index);
    }

    @Override
    public int label(int index) {
        return original.label(index);
    }
}
