package ai.wood.data;

/** A dataset without its chance: whatever would be made or chosen anew each time is always the one at its index. */
public record FrozenDataset(Dataset original) implements Derived {

    @Override
    public Sample get(int index) {
        return original.get(index);
    }

    @Override
    public boolean varies() {
        return false;
    }
}
