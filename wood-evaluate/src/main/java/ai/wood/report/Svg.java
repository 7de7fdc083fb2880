package ai.wood.report;

import java.util.Locale;

/** A picture in the making: light or dark as its viewer is, in the colours of the page. */
final class Svg {

    private final StringBuilder text = new StringBuilder();

    Svg(int width, int height, String title) {
        add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">", width, height);
        add(
                "<title>%s</title><style>%s</style>%n",
                Html.escaped(title), Page.resource("figure.css").replace("\n", ""));
    }

    /** Adds markup; texts among the values must have been escaped. */
    Svg add(String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values));
        return this;
    }

    /** Adds a text of a style; {@code anchor} is start, middle or end. */
    Svg text(double x, double y, String style, String anchor, String words) {
        return add(
                "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n",
                style, x, y, anchor, Html.escaped(words));
    }

    Svg line(String style, double x1, double y1, double x2, double y2) {
        return add("<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>%n", style, x1, y1, x2, y2);
    }

    String end() {
        return text + "</svg>\n";
    }

    /** A number with as many digits as a range makes sense of. */
    static String number(double value, double range) {
        int digits = (int) Math.max(0, Math.min(12, 2 - Math.floor(Math.log10(range))));
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }
}
