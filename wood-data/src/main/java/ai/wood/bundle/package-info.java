/**
 * Detectors in one file: {@link ai.wood.bundle.Bundle} opens and packs them, {@link ai.wood.bundle.DetectorDescription} is
 * what they say of themselves. Nothing here knows an engine; networks are opened by a {@link ai.wood.bundle.NetworkFormat}.
 */
@NullMarked
package ai.wood.bundle;

import org.jspecify.annotations.NullMarked;
