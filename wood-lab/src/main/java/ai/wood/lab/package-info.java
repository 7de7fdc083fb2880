/**
 * The paper's results made again, its mathematics on the command line, and measuring: networks on this machine, servers
 * under load and attack. Libraries and releases go without.
 */
@NullMarked
package ai.wood.lab;

import org.jspecify.annotations.NullMarked;
