package ai.wood.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;

/**
 * Lines in a frame with a legend below, as a picture.
 *
 * @param title above it
 * @param x the horizontal axis
 * @param y the vertical axis
 * @param lines in the order of the legend
 * @param marks vertical lines
 */
record Plot(String title, Axis x, Axis y, List<Line> lines, List<Mark> marks) {

    private static final int WIDTH = 640;
    private static final int LEFT = 54;
    private static final int RIGHT = WIDTH - 16;
    private static final int TOP = 38;
    private static final int BOTTOM = 320;
    private static final int LEGEND = BOTTOM + 56;
    private static final int LEGEND_COLUMNS = 2;
    private static final int LEGEND_ROW = 20;
    private static final int COLOURS = 7;
    private static final int MOST_DOTS = 30;
    private static final List<String> DASHES = List.of("none", "8 3", "2 3", "9 3 2 3");

    Plot {
        lines = List.copyOf(lines);
        marks = List.copyOf(marks);
    }

    /** From low to high, in steps that are easy to read. */
    record Axis(String title, double low, double high) {

        Axis {
            if (!(low < high)) {
                high = low + 1;
            }
        }

        double share(double value) {
            return (value - low) / (high - low);
        }

        List<Double> ticks() {
            double rough = (high - low) / 6;
            double power = Math.pow(10, Math.floor(Math.log10(rough)));
            double step =
                    power * (rough <= power * 1.001 ? 1 : rough <= 2.001 * power ? 2 : rough <= 5.001 * power ? 5 : 10);
            List<Double> ticks = new ArrayList<>();
            for (long i = (long) Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) {
                ticks.add(i * step);
            }
            return ticks;
        }
    }

    /** A point of a line. */
    record Point(double x, double y) {}

    /** A named line through points in their order. */
    record Line(String name, List<Point> points) {

        Line {
            points = List.copyOf(points);
        }
    }

    /** A vertical line with words. */
    record Mark(double x, String words) {}

    String svg() {
        int rows = (lines.size() + LEGEND_COLUMNS - 1) / LEGEND_COLUMNS;
        Svg svg = new Svg(WIDTH, LEGEND + rows * LEGEND_ROW, title);
        svg.text(LEFT, 20, "title", "start", title);
        svg.add(
                "<clipPath id=\"frame\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/></clipPath>%n",
                LEFT, TOP - 3, RIGHT - LEFT, BOTTOM - TOP + 6);
        axes(svg);
        svg.add("<g clip-path=\"url(#frame)\">%n");
        for (int i = 0; i < lines.size(); i++) {
            svg.add("<path %s d=\"%s\"/>%n", style(i), path(lines.get(i)));
            if (lines.get(i).points().size() <= MOST_DOTS) {
                dots(svg, i);
            }
        }
        svg.add("</g>%n");
        marks.forEach(mark -> mark(svg, mark));
        for (int i = 0; i < lines.size(); i++) {
            legend(svg, i);
        }
        return svg.end();
    }

    private void dots(Svg svg, int index) {
        for (Point point : lines.get(index).points()) {
            svg.add(
                    "<circle class=\"c%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"1.5\"/>%n",
                    index % COLOURS, px(point.x()), py(point.y()));
        }
    }

    private void axes(Svg svg) {
        for (double tick : y.ticks()) {
            svg.line("grid", LEFT, py(tick), RIGHT, py(tick));
            svg.text(LEFT - 6, py(tick) + 4, "label", "end", number(tick));
        }
        for (double tick : x.ticks()) {
            svg.text(px(tick), BOTTOM + 16, "label", "middle", number(tick));
        }
        svg.line("axis", LEFT, BOTTOM, RIGHT, BOTTOM);
        svg.text((LEFT + RIGHT) / 2.0, BOTTOM + 36, "label", "middle", x.title());
        svg.text(RIGHT, 20, "label", "end", y.title());
    }

    private void mark(Svg svg, Mark mark) {
        double at = px(Math.max(x.low(), Math.min(x.high(), mark.x())));
        boolean leftwards = at > (LEFT + RIGHT) / 2.0;
        svg.line("cut", at, TOP, at, BOTTOM);
        svg.text(leftwards ? at - 4 : at + 4, TOP + 10, "label", leftwards ? "end" : "start", mark.words());
    }

    private void legend(Svg svg, int index) {
        double left = LEFT + (double) (index % LEGEND_COLUMNS) * (RIGHT - LEFT) / LEGEND_COLUMNS;
        int at = LEGEND + index / LEGEND_COLUMNS * LEGEND_ROW;
        svg.add("<path %s d=\"M%.1f %dh28\"/>%n", style(index), left, at);
        svg.text(left + 36, at + 4, "label", "start", lines.get(index).name());
    }

    private static String style(int index) {
        return "class=\"curve c" + index % COLOURS + "\" stroke-dasharray=\""
                + DASHES.get(index / COLOURS % DASHES.size()) + "\"";
    }

    private String path(Line line) {
        StringBuilder path = new StringBuilder();
        for (Point point : line.points()) {
            path.append(path.isEmpty() ? "M" : "L")
                    .append(coordinate(px(point.x())))
                    .append(' ')
                    .append(coordinate(py(point.y())));
        }
        return path.toString();
    }

    private static String coordinate(double value) {
        return Svg.number(value, 100);
    }

    private static String number(double tick) {
        return BigDecimal.valueOf(tick)
                .round(new MathContext(4))
                .stripTrailingZeros()
                .toPlainString();
    }

    private double px(double value) {
        return LEFT + (RIGHT - LEFT) * x.share(value);
    }

    private double py(double value) {
        return BOTTOM - (BOTTOM - TOP) * y.share(value);
    }
}
