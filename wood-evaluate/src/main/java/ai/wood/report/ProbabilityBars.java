package ai.wood.report;

import java.util.List;
import java.util.Locale;

/**
 * What a network makes of single samples: an image and the probability of every class, side by side (the paper's Fig. 4).
 *
 * @param title above all
 * @param panels from left to right
 */
record ProbabilityBars(String title, List<Panel> panels) {

    private static final int PANEL_WIDTH = 320;
    private static final int MOST_CLASSES = 20;
    private static final int TOP = 44;
    private static final int IMAGE = 96;
    private static final int ROW = 18;
    private static final int NAMES = 100;
    private static final int BAR = 140;

    ProbabilityBars {
        panels = List.copyOf(panels);
    }

    /**
     * One sample.
     *
     * @param title what it is
     * @param style of its bars: ind or ood
     * @param picture its image, as an address
     * @param bars probabilities of classes, in the order of the classes
     */
    record Panel(String title, String style, String picture, List<Bar> bars) {

        /** All classes in their order; of many, the most probable ones. */
        static Panel of(String title, String style, String picture, List<String> classes, double[] probabilities) {
            List<Integer> shown = Examples.top(probabilities, MOST_CLASSES);
            if (probabilities.length <= MOST_CLASSES) {
                shown = shown.stream().sorted().toList();
            }
            return new Panel(
                    title,
                    style,
                    picture,
                    shown.stream()
                            .map(k -> new Bar(classes.get(k), probabilities[k]))
                            .toList());
        }
    }

    /** The probability of a class. */
    record Bar(String name, double probability) {}

    String svg() {
        int rows = panels.stream().mapToInt(panel -> panel.bars().size()).max().orElse(0);
        Svg svg = new Svg(PANEL_WIDTH * panels.size(), TOP + 22 + IMAGE + 12 + rows * ROW + 8, title);
        svg.text(12, 22, "title", "start", title);
        for (int i = 0; i < panels.size(); i++) {
            draw(svg, i * PANEL_WIDTH + 12, panels.get(i));
        }
        return svg.end();
    }

    private static void draw(Svg svg, int left, Panel panel) {
        svg.text(left, TOP + 8, "label", "start", panel.title());
        svg.add(
                "<image x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" href=\"%s\"/>%n",
                left + NAMES, TOP + 18, IMAGE, IMAGE, Html.escaped(panel.picture()));
        int y = TOP + 22 + IMAGE + 12;
        for (Bar bar : panel.bars()) {
            svg.text(left + NAMES - 8, y + 11, "label", "end", shortened(bar.name()));
            svg.line("axis", left + NAMES, y, left + NAMES, y + ROW);
            svg.add(
                    "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>%n",
                    panel.style(), left + NAMES, y + 2, BAR * bar.probability(), ROW - 4);
            svg.text(
                    left + NAMES + BAR * bar.probability() + 6,
                    y + 13,
                    "label",
                    "start",
                    String.format(Locale.ROOT, "%.3f", bar.probability()));
            y += ROW;
        }
    }

    private static String shortened(String name) {
        return name.length() <= 14 ? name : name.substring(0, 13) + "…";
    }
}
