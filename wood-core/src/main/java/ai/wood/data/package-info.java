/** Reading what others wrote: numeric tables and arrays, datasets, images. Every parser distrusts its file. */
@NullMarked
package ai.wood.data;

import org.jspecify.annotations.NullMarked;
