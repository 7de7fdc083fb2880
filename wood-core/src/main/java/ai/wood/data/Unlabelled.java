package ai.wood.data;

import ai.wood.Dataset;
import ai.wood.Sample;
import ai.wood.Shape;
import ai.wood.Split;
import java.util.List;
import java.util.random.RandomGenerator;

/** A dataset under another name and without its labels. */
record Unlabelled(String name, Dataset original) implements Dataset {

    @Override
    public Sample get(int index) {
        return new Sample(original.get(index).image(), Sample.UNLABELLED);
    }

    @Override
    public Sample draw(int index, RandomGenerator random) {
        return new Sample(original.draw(index, random).image(), Sample.UNLABELLED);
    }

    @Override
    public Split split() {
        return original.split();
    }

    @Override
    public List<String> classes() {
        return List.of();
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
    public int label(int index) {
        return Sample.UNLABELLED;
    }

    @Override
    public boolean varies() {
        return original.varies();
    }
}
