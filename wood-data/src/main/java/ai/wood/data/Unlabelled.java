package ai.wood.data;

import java.util.List;
import java.util.random.RandomGenerator;

/** A dataset under another name and without its labels. */
record Unlabelled(String name, Dataset original) implements Derived {

    @Override
    public Sample get(int index) {
        return new Sample(original.get(index).image(), Sample.UNLABELLED);
    }

    @Override
    public Sample draw(int index, RandomGenerator random) {
        return new Sample(original.draw(index, random).image(), Sample.UNLABELLED);
    }

    @Override
    public List<String> classes() {
        return List.of();
    }

    @Override
    public int label(int index) {
        return Sample.UNLABELLED;
    }
}
