package ai.wood.report;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Accuracy and FNR@95TNR against beta, as an SVG picture; both run from 0 to 1. */
public record BetaPlot(List<Point> points) {

    private static final int WIDTH = 640;
    private static final int HEIGHT = 320;
    private static final int LEFT = 48;
    private static final int TOP = 40;
    private static final int PLOT_WIDTH = WIDTH - LEFT - 20;
    private static final int PLOT_HEIGHT = HEIGHT - TOP - 50;

    /** What a network trained with some beta came to on validation data. */
    public record Point(double beta, double accuracy, double fnr95) {}

    public BetaPlot {
        points = List.copyOf(points);
        if (points.isEmpty()) {
            throw new IllegalArgumentException("a plot needs at least one point");
        }
    }

    public String svg() {
        StringBuilder svg = new StringBuilder(format(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                        + " font-family=\"sans-serif\" font-size=\"12\">%n<rect width=\"100%%\" height=\"100%%\""
                        + " fill=\"white\"/>%n",
                WIDTH, HEIGHT, WIDTH, HEIGHT));
        for (int tenth = 0; tenth <= 10; tenth += 2) {
            double y = y(tenth / 10.0);
            svg.append(format("<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/>%n", LEFT, y, LEFT + PLOT_WIDTH));
            svg.append(text(LEFT - 6, y + 4, "end", "#555", format("%.1f", tenth / 10.0)));
        }
        for (Point point : points) {
            svg.append(text(x(point.beta()), TOP + PLOT_HEIGHT + 18, "middle", "#555", format("%.3g", point.beta())));
        }
        svg.append(text(LEFT + PLOT_WIDTH / 2.0, HEIGHT - 10, "middle", "#000", "beta"));
        svg.append(line(Point::accuracy, "#1b6ca8")).append(line(Point::fnr95, "#c8553d"));
        svg.append(text(LEFT, 20, "start", "#1b6ca8", "accuracy"));
        svg.append(text(LEFT + 80, 20, "start", "#c8553d", "FNR@95TNR"));
        return svg.append("</svg>").append(System.lineSeparator()).toString();
    }

    private String line(ToDoubleFunction<Point> value, String colour) {
        StringBuilder path = new StringBuilder();
        StringBuilder dots = new StringBuilder();
        for (Point point : points) {
            double x = x(point.beta());
            double y = y(value.applyAsDouble(point));
            path.append(format("%s%.1f %.1f", path.length() == 0 ? "M" : "L", x, y));
            dots.append(format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>%n", x, y, colour));
        }
        return format("<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>%n%s", path, colour, dots);
    }

    private double x(double beta) {
        double low = points.stream().mapToDouble(Point::beta).min().orElseThrow();
        double high = points.stream().mapToDouble(Point::beta).max().orElseThrow();
        return LEFT + PLOT_WIDTH * (high > low ? (beta - low) / (high - low) : 0.5);
    }

    private static double y(double share) {
        return TOP + PLOT_HEIGHT * (1 - share);
    }

    private static String text(double x, double y, String anchor, String colour, String text) {
        return format(
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>%n", x, y, anchor, colour, text);
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
