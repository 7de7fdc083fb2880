package ai.wood.report;

import java.util.Locale;

/**
 * Two histograms in one frame, InD against OOD, with the threshold between them, as an SVG picture.
 *
 * <p>Bars are shares of each set per bin, on a square-root scale so that small bins can be seen.
 */
final class Histogram {

    private static final int BINS = 45;
    private static final int WIDTH = 640;
    private static final int HEIGHT = 190;
    private static final int LEFT = 12;
    private static final int TOP = 34;
    private static final int PLOT_WIDTH = WIDTH - 2 * LEFT;
    private static final int PLOT_HEIGHT = 118;

    private final StringBuilder svg = new StringBuilder();
    private final double low;
    private final double high;

    private Histogram(double low, double high) {
        this.low = low;
        this.high = high;
    }

    /** A panel of the report: {@code top} pixels below the upper edge of the picture. */
    static String panel(int top, String title, Series ind, Series ood, double threshold) {
        double low = Math.min(ind.min(), ood.min());
        double high = Math.max(ind.max(), ood.max());
        Histogram histogram = new Histogram(low, high > low ? high : low + 1);
        histogram.draw(top, title, ind, ood, threshold);
        return histogram.svg.toString();
    }

    static int height() {
        return HEIGHT;
    }

    static int width() {
        return WIDTH;
    }

    private void draw(int top, String title, Series ind, Series ood, double threshold) {
        svg.append("<g transform=\"translate(0,").append(top).append(")\">");
        text(LEFT, 20, "title", "start", title);
        bars(ind, "ind");
        bars(ood, "ood");
        int base = TOP + PLOT_HEIGHT;
        append("<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>", LEFT, LEFT + PLOT_WIDTH, base, base);
        double x = x(Math.max(low, Math.min(high, threshold)));
        append("<line class=\"cut\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>", x, x, TOP - 6, base);
        text(x + 4, TOP + 4, "label", "start", "threshold " + number(threshold));
        text(LEFT, base + 16, "label", "start", number(low));
        text(LEFT + PLOT_WIDTH, base + 16, "label", "end", number(high));
        text(LEFT + PLOT_WIDTH / 2.0, base + 16, "label", "middle", "score: larger = more OOD");
        svg.append("</g>");
    }

    private void bars(Series series, String cssClass) {
        double[] shares = new double[BINS];
        for (int i = 0; i < series.scores().columns(); i++) {
            double position = (series.scores().get(0, i) - low) / (high - low);
            shares[Math.min(BINS - 1, (int) (position * BINS))] +=
                    1.0 / series.scores().columns();
        }
        double width = (double) PLOT_WIDTH / BINS;
        for (int bin = 0; bin < BINS; bin++) {
            if (shares[bin] > 0) {
                double height = Math.max(1, PLOT_HEIGHT * Math.sqrt(shares[bin]));
                append(
                        "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%s: %.1f%%"
                                + "</title></rect>",
                        cssClass,
                        LEFT + bin * width,
                        TOP + PLOT_HEIGHT - height,
                        width - 1,
                        height,
                        Html.escaped(series.name()),
                        100 * shares[bin]);
            }
        }
    }

    /** As many digits as the range of the picture makes sense of. */
    private String number(double value) {
        int digits = (int) Math.max(0, Math.min(12, 2 - Math.floor(Math.log10(high - low))));
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }

    private double x(double score) {
        return LEFT + PLOT_WIDTH * (score - low) / (high - low);
    }

    private void text(double x, double y, String cssClass, String anchor, String text) {
        append(
                "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>",
                cssClass, x, y, anchor, Html.escaped(text));
    }

    private void append(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values));
    }
}
