package ai.wood.data.transform;

import ai.wood.data.Image;
import ai.wood.data.Shape;
import java.util.List;
import java.util.random.RandomGenerator;

/** Transforms one after another, drawing from the same generator in turn. */
record Chain(List<Transform> steps) implements Transform {

    Chain {
        steps = List.copyOf(steps);
    }

    @Override
    public Image apply(Image image, RandomGenerator random) {
        Image result = image;
        for (Transform step : steps) {
            result = step.apply(result, random);
        }
        return result;
    }

    @Override
    public Shape shape(Shape input) {
        Shape result = input;
        for (Transform step : steps) {
            result = step.shape(result);
        }
        return result;
    }

    @Override
    public boolean varies() {
        return steps.stream().anyMatch(Transform::varies);
    }
}
