package ai.wood.report;

/** Text made harmless inside a page or a picture. */
final class Html {

    private Html() {}

    /** Escapes what means something to HTML or XML; characters that XML forbids become question marks. */
    static String escaped(String text) {
        return text.replaceAll("[^\\t\\n\\x20-\\x{D7FF}\\x{E000}-\\x{FFFD}\\x{10000}-\\x{10FFFF}]", "?")
                .replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
