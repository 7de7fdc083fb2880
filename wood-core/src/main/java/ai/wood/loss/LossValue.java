package ai.wood.loss;

import ai.wood.Matrix;

/**
 * A loss over one batch.
 *
 * @param value the loss
 * @param ind its derivative by the InD logits
 * @param ood its derivative by the OOD logits
 */
public record LossValue(double value, Matrix ind, Matrix ood) {}
