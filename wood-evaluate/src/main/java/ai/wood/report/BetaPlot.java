package ai.wood.report;

import java.util.List;
import java.util.function.ToDoubleFunction;

/** Accuracy and FNR@95TNR against beta, as an SVG picture; both run from 0 to 1. */
public record BetaPlot(List<Point> points) {

    /** What a network trained with some beta came to on validation data. */
    public record Point(double beta, double accuracy, double fnr95) {}

    public BetaPlot {
        points = List.copyOf(points);
        if (points.isEmpty()) {
            throw new IllegalArgumentException("a plot needs at least one point");
        }
    }

    public String svg() {
        double low = points.stream().mapToDouble(Point::beta).min().orElseThrow();
        double high = points.stream().mapToDouble(Point::beta).max().orElseThrow();
        return new Plot(
                        "Accuracy and FNR@95TNR against beta",
                        new Plot.Axis("beta", low, high),
                        new Plot.Axis("validation", 0, 1),
                        List.of(line("accuracy", Point::accuracy), line("FNR@95TNR", Point::fnr95)),
                        List.of())
                .svg();
    }

    private Plot.Line line(String name, ToDoubleFunction<Point> value) {
        return new Plot.Line(
                name,
                points.stream()
                        .map(point -> new Plot.Point(point.beta(), value.applyAsDouble(point)))
                        .filter(point -> Double.isFinite(point.y()))
                        .toList());
    }
}
