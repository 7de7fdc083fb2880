package ai.wood.torch.train;

import ai.wood.data.Dataset;
import ai.wood.data.Sample;
import ai.wood.data.transform.Normalise;
import ai.wood.data.transform.Transform;
import org.jspecify.annotations.Nullable;

/**
 * What a network learns from, and what it is validated on.
 *
 * @param ind labelled InD training samples
 * @param ood OOD training samples; null where the loss needs none
 * @param indValidation labelled InD samples that training does not see
 * @param oodValidation OOD samples that training does not see; null for none
 * @param transform applied to training images only
 * @param normalise turns images into floats, in training and ever after
 */
public record TrainData(
        Dataset ind,
        @Nullable Dataset ood,
        Dataset indValidation,
        @Nullable Dataset oodValidation,
        Transform transform,
        Normalise normalise) {

    public TrainData {
        if (ind.classes().size() < 2) {
            throw new IllegalArgumentException("InD training data need at least 2 classes but " + ind.name() + " has "
                    + ind.classes().size() + ". Maybe give the pictures of each class a folder of their own.");
        }
        for (Dataset dataset : new @Nullable Dataset[] {ind, ood, indValidation, oodValidation}) {
            if (dataset != null) {
                check(dataset);
            }
        }
        for (Dataset dataset : new Dataset[] {ind, indValidation}) {
            checkLabels(dataset, ind.classes().size());
        }
    }

    public TrainData withNormalise(Normalise normalise) {
        return new TrainData(ind, ood, indValidation, oodValidation, transform, normalise);
    }

    TrainData withOod(Dataset ood) {
        return new TrainData(ind, ood, indValidation, oodValidation, transform, normalise);
    }

    private static void check(Dataset dataset) {
        if (!dataset.split().mayFit()) {
            throw new IllegalArgumentException(
                    "training and validation must not touch the test split but " + dataset.name() + " is one");
        }
        if (dataset.size() == 0) {
            throw new IllegalArgumentException("data to train and validate on must not be empty but " + dataset.name()
                    + " (" + dataset.split() + ") is. Maybe there are too few to hold some out.");
        }
    }

    private static void checkLabels(Dataset dataset, int classes) {
        for (int i = 0; i < dataset.size(); i++) {
            int label = dataset.label(i);
            if (label == Sample.UNLABELLED || label >= classes) {
                throw new IllegalArgumentException("InD samples need labels from 0 to " + (classes - 1) + " but sample "
                        + i + " of " + dataset.name() + " has " + label);
            }
        }
    }
}
