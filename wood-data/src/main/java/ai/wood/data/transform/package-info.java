/** Image to image: adapting sets to a network's shape, and the random changes that training makes to its samples. */
@NullMarked
package ai.wood.data.transform;

import org.jspecify.annotations.NullMarked;
