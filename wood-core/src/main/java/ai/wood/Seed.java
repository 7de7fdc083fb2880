package ai.wood;

import java.util.SplittableRandom;

/**
 * A place in a tree of random numbers.
 *
 * <p>Every random choice has an address, such as {@code seed.at(epoch).at(step).at(index)}, and depends on nothing else:
 * not on threads, not on what was drawn before. So a run can be repeated, or resumed in the middle, bit for bit. Places
 * are told apart by the finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
 */
public record Seed(long value) {

    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

    /** The branch of this number; all branches are independent of one another and of this place. */
    public Seed at(long branch) {
        return new Seed(mix(value + GOLDEN_GAMMA * mix(branch + GOLDEN_GAMMA)));
    }

    /** A fresh generator that starts at this place. */
    public SplittableRandom random() {
        return new SplittableRandom(value);
    }

    /** The numbers 0 to {@code size - 1} in random order (Fisher-Yates). */
    public int[] permutation(int size) {
        SplittableRandom random = random();
        int[] order = new int[size];
        for (int i = 0; i < size; i++) {
            int j = random.nextInt(i + 1);
            order[i] = order[j];
            order[j] = i;
        }
        return order;
    }

    private static long mix(long z) {
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
