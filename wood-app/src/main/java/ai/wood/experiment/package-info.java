/** What to run: scorers over sets of outputs, compared on equal terms. */
@NullMarked
package ai.wood.experiment;

import org.jspecify.annotations.NullMarked;
