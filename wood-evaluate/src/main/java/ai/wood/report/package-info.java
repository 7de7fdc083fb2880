/** Pictures and pages: self-contained SVG and HTML that work offline, light and dark. */
@NullMarked
package ai.wood.report;

import org.jspecify.annotations.NullMarked;
