/**
 * Detectors behind HTTP: {@link ai.wood.server.DetectorServer} has the routes, {@link ai.wood.server.Judge} gives the
 * verdicts, {@link ai.wood.server.Monitor} watches them.
 */
@NullMarked
package ai.wood.server;

import org.jspecify.annotations.NullMarked;
