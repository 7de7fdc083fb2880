/** The command line: each command reads, builds, runs and reports, and nothing more. */
@NullMarked
package ai.wood.cli;

import org.jspecify.annotations.NullMarked;
