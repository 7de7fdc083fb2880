/** Requests to a server from outside: many at once ({@link ai.wood.load.Load}) and malicious ones ({@link ai.wood.load.Attack}). */
@NullMarked
package ai.wood.load;

import org.jspecify.annotations.NullMarked;
