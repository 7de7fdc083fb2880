package ai.wood.data.transform;

import ai.wood.data.Shape;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * What a transform that only moves and hides pixels does to one image: shifted, black coming in at the edges, then
 * mirrored left and right, then a grey square painted over. For engines that move the pixels themselves.
 *
 * @param down pixels
 * @param right pixels
 * @param top first row of the square
 * @param left first column of the square
 * @param size side of the square; 0 for none
 */
public record ShiftFlipCutout(int down, int right, boolean mirrored, int top, int left, int size) {

    private static final ShiftFlipCutout NONE = new ShiftFlipCutout(0, 0, false, 0, 0, 0);
    private static final List<Class<? extends Transform>> ORDER = List.of(PadCrop.class, Flip.class, Cutout.class);

    /** Whether a transform is a motion: at most a {@link PadCrop}, a {@link Flip} and a {@link Cutout}, in this order. */
    public static boolean describes(Transform transform) {
        int last = -1;
        for (Transform step : steps(transform)) {
            int place = ORDER.indexOf(step.getClass());
            if (place <= last) {
                return false;
            }
            last = place;
        }
        return true;
    }

    /** The motion that a transform draws: what {@link Transform#apply} does with the same generator. */
    public static ShiftFlipCutout draw(Transform transform, Shape shape, RandomGenerator random) {
        ShiftFlipCutout motion = NONE;
        for (Transform step : steps(transform)) {
            motion = motion.then(step, shape, random);
        }
        return motion;
    }

    private ShiftFlipCutout then(Transform step, Shape shape, RandomGenerator random) {
        if (step instanceof PadCrop shift) {
            return new ShiftFlipCutout(shift.shift(random), shift.shift(random), mirrored, top, left, size);
        } else if (step instanceof Flip flip) {
            return new ShiftFlipCutout(down, right, flip.mirrors(random), top, left, size);
        } else if (step instanceof Cutout cut) {
            return new ShiftFlipCutout(
                    down,
                    right,
                    mirrored,
                    cut.start(shape.height(), random),
                    cut.start(shape.width(), random),
                    cut.size());
        }
        throw new IllegalArgumentException("a motion shifts, mirrors and hides but " + step + " does something else");
    }

    private static List<Transform> steps(Transform transform) {
        return transform instanceof Chain chain ? chain.steps() : List.of(transform);
    }
}
