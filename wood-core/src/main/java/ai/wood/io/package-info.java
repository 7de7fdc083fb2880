/**
 * Reading what others wrote, with distrust: numeric tables and arrays, safetensors, JSON. Files are replaced as a whole or
 * not at all.
 */
@NullMarked
package ai.wood.io;

import org.jspecify.annotations.NullMarked;
