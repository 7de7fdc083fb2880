package ai.wood.data;

import java.util.List;

/** A dataset made of another one, sample for sample; what it does not say itself the other one says. */
interface Derived extends Dataset {

    /** The other one. */
    Dataset original();

    @Override
    default String name() {
        return original().name();
    }

    @Override
    default Split split() {
        return original().split();
    }

    @Override
    default List<String> classes() {
        return original().classes();
    }

    @Override
    default Shape shape() {
        return original().shape();
    }

    @Override
    default int size() {
        return original().size();
    }

    @Override
    default int label(int index) {
        return original().label(index);
    }

    @Override
    default boolean varies() {
        return original().varies();
    }
}
