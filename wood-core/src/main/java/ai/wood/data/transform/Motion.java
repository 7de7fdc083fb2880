package ai.wood.data.transform;

import java.util.List;
import java.util.random.RandomGenerator;

/**
 * What a transform that only moves pixels does to one image: shifted, black coming in at the edges, then mirrored left
 * and right. For engines that move the pixels themselves.
 *
 * @param down pixels
 * @param right pixels
 */
public record Motion(int down, int right, boolean mirrored) {

    private static final Motion NONE = new Motion(0, 0, false);

    /** Whether a transform is a motion: at most a {@link PadCrop} and, after it, a {@link Flip}. */
    public static boolean describes(Transform transform) {
        List<Transform> steps = steps(transform);
        boolean shifts = !steps.isEmpty() && steps.get(0) instanceof PadCrop;
        List<Transform> rest = steps.subList(shifts ? 1 : 0, steps.size());
        return rest.isEmpty() || (rest.size() == 1 && rest.get(0) instanceof Flip);
    }

    /** The motion that a transform draws: what {@link Transform#apply} does with the same generator. */
    public static Motion draw(Transform transform, RandomGenerator random) {
        Motion motion = NONE;
        for (Transform step : steps(transform)) {
            if (step instanceof PadCrop shift) {
                motion = new Motion(shift.shift(random), shift.shift(random), false);
            } else if (step instanceof Flip flip) {
                motion = new Motion(motion.down, motion.right, flip.mirrors(random));
            } else {
                throw new IllegalArgumentException("a motion shifts and mirrors but " + step + " does something else");
            }
        }
        return motion;
    }

    private static List<Transform> steps(Transform transform) {
        return transform instanceof Chain chain ? chain.steps() : List.of(transform);
    }
}
