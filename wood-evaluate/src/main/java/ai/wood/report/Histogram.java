package ai.wood.report;

import ai.wood.metric.Bins;
import java.util.Arrays;

/**
 * Two histograms in one frame, InD against OOD, with the threshold between them: a panel of a picture.
 *
 * <p>Bars are shares of each set per bin, on a square-root scale so that small bins can be seen; the largest
 * fills the frame.
 *
 * @param title above the panel
 * @param bins of both
 * @param threshold between them; infinite for none
 */
record Histogram(String title, Bins bins, double threshold) {

    static final int WIDTH = 640;
    static final int HEIGHT = 190;
    static final int BINS = 45;

    private static final int LEFT = 12;
    private static final int TOP = 34;
    private static final int PLOT_WIDTH = WIDTH - 2 * LEFT;
    private static final int PLOT_HEIGHT = 118;

    /** Draws the panel {@code top} pixels below the upper edge of the picture. */
    void draw(Svg svg, int top, double[] ind, double[] ood) {
        svg.add("<g transform=\"translate(0,%d)\">%n", top);
        svg.text(LEFT, 20, "title", "start", title);
        double most = Math.max(most(ind), most(ood));
        bars(svg, ind, "ind", most);
        bars(svg, ood, "ood", most);
        int base = TOP + PLOT_HEIGHT;
        svg.line("axis", LEFT, base, LEFT + PLOT_WIDTH, base);
        if (Double.isFinite(threshold)) {
            cut(svg, base);
        }
        svg.text(LEFT, base + 16, "label", "start", number(bins.range().low()));
        svg.text(
                LEFT + PLOT_WIDTH,
                base + 16,
                "label",
                "end",
                number(bins.range().high()));
        svg.text(
                LEFT + PLOT_WIDTH / 2.0,
                base + 16,
                "label",
                "middle",
                "score: larger = more OOD (bars: square root of the share)");
        svg.add("</g>%n");
    }

    private void cut(Svg svg, int base) {
        Bins.Range range = bins.range();
        double share = (threshold - range.low()) / (range.high() - range.low());
        double x = LEFT + PLOT_WIDTH * Math.max(0, Math.min(1, share));
        boolean leftwards = share > 0.7;
        svg.line("cut", x, TOP - 6, x, base);
        svg.text(
                leftwards ? x - 4 : x + 4,
                TOP + 4,
                "label",
                leftwards ? "end" : "start",
                "threshold " + number(threshold));
    }

    /** The largest share of a bin. */
    private double most(double[] scores) {
        return (double) Arrays.stream(bins.counts(scores)).max().orElseThrow() / scores.length;
    }

    private void bars(Svg svg, double[] scores, String style, double most) {
        int[] counts = bins.counts(scores);
        double width = (double) PLOT_WIDTH / counts.length;
        for (int bin = 0; bin < counts.length; bin++) {
            if (counts[bin] > 0) {
                double share = (double) counts[bin] / scores.length;
                double height = Math.max(1, PLOT_HEIGHT * Math.sqrt(share / most));
                svg.add(
                        "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%.1f%%</title></rect>%n",
                        style, LEFT + bin * width, TOP + PLOT_HEIGHT - height, width - 1, height, 100 * share);
            }
        }
    }

    private String number(double value) {
        return Svg.number(value, bins.range().high() - bins.range().low());
    }
}
