@NullMarked
package ai.wood.spark;

import org.jspecify.annotations.NullMarked;
