package ai.wood.data;

import ai.wood.data.transform.ShiftFlipCutout;
import ai.wood.data.transform.Transform;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What a shuffling {@link Loader} would load, as numbers: for an engine that holds all images and moves their pixels
 * itself. The same options give the same batches, image for image.
 */
public final class LoadPlan {

    /**
     * Numbers of each place of a batch: which image, pixels down, pixels right, mirrored (0 or 1); top, left and side of a
     * grey square.
     */
    public static final int FIELDS = 7;

    private final List<Dataset> sources = new ArrayList<>();
    private final Dataset ind;
    private final @Nullable Dataset ood;
    private final LoaderOptions options;

    private LoadPlan(Dataset ind, @Nullable Dataset ood, LoaderOptions options) {
        this.ind = ind;
        this.ood = ood;
        this.options = options;
        sources.add(ind);
        if (ood instanceof Mixture mixture) {
            mixture.parts().forEach(part -> sources.add(part.dataset()));
        } else if (ood != null) {
            sources.add(ood);
        }
    }

    /**
     * A plan, or none where images are made by chance, or transforms do more than move and hide pixels.
     *
     * @throws IllegalArgumentException where a {@link Loader} of the same would throw it
     */
    public static Optional<LoadPlan> of(Dataset ind, @Nullable Dataset ood, LoaderOptions options) {
        LoadPlan plan = new LoadPlan(ind, ood, options);
        boolean possible = options.shuffled()
                && plan.sources.stream().noneMatch(Dataset::varies)
                && ShiftFlipCutout.describes(options.indTransform())
                && ShiftFlipCutout.describes(options.oodTransform());
        if (!possible) {
            return Optional.empty();
        }
        Loader.check(ind, ood, options);
        return Optional.of(plan);
    }

    /** The sets whose images are counted, one set after the other: InD first. */
    public List<Dataset> sources() {
        return List.copyOf(sources);
    }

    /** The number of batches in an epoch. */
    public int steps() {
        return ind.size() / options.ind();
    }

    /** The number of InD samples in this shard of a batch. */
    public int ind() {
        return options.shard().of(options.ind());
    }

    /** The number of samples in this shard of a batch. */
    public int batch() {
        return ind() + options.shard().of(options.ood());
    }

    /**
     * {@link #FIELDS} numbers for each place of each step of an epoch.
     *
     * @param choice indices of the OOD samples to draw from; empty for all
     */
    public int[] epoch(int epoch, int[] choice) {
        int[] order = options.seed().at(epoch).permutation(ind.size());
        int[] numbers = new int[Math.multiplyExact(Math.multiplyExact(steps(), batch()), FIELDS)];
        IntStream.range(0, steps()).parallel().forEach(step -> {
            for (int n = 0; n < batch(); n++) {
                int place = options.shard().place(n, options.ind(), options.ood());
                SplittableRandom random =
                        options.seed().at(epoch).at(step).at(place).random();
                boolean fromInd = n < ind();
                int image = fromInd ? order[step * options.ind() + place] : ind.size() + drawOod(random, choice);
                Transform transform = fromInd ? options.indTransform() : options.oodTransform();
                put(
                        numbers,
                        (step * batch() + n) * FIELDS,
                        image,
                        ShiftFlipCutout.draw(transform, ind.shape(), random));
            }
        });
        return numbers;
    }

    /** Where the loader's draw from the OOD set is, counted from its first source. */
    private int drawOod(SplittableRandom random, int[] choice) {
        if (ood == null) {
            throw new IllegalStateException("a batch without OOD samples has no place for one");
        }
        int index = choice.length == 0 ? random.nextInt(ood.size()) : choice[random.nextInt(choice.length)];
        if (!(ood instanceof Mixture mixture)) {
            return index;
        }
        int part = mixture.choose(random);
        int before =
                sources.subList(1, 1 + part).stream().mapToInt(Dataset::size).sum();
        return before + random.nextInt(sources.get(1 + part).size());
    }

    private static void put(int[] numbers, int at, int image, ShiftFlipCutout motion) {
        numbers[at] = image;
        numbers[at + 1] = motion.down();
        numbers[at + 2] = motion.right();
        numbers[at + 3] = motion.mirrored() ? 1 : 0;
        numbers[at + 4] = motion.top();
        numbers[at + 5] = motion.left();
        numbers[at + 6] = motion.size();
    }
}
