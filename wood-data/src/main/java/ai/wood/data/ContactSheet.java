package ai.wood.data;

import ai.wood.io.AtomicFile;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A look at a dataset: its images side by side, each with the name of its class below.
 *
 * @param columns images in a row
 * @param side of an image in pixels; smaller ones are enlarged without smoothing, so that their pixels can be seen
 */
public record ContactSheet(int columns, int side) {

    private static final int GAP = 6;
    private static final int TEXT = 14;

    public ContactSheet {
        if (columns < 1 || columns > 200 || side < 8 || side > 1024) {
            throw new IllegalArgumentException("a contact sheet has 1 to 200 columns of images of 8 to 1024 pixels but "
                    + columns + " and " + side + " were asked for");
        }
    }

    /** Paints all samples of a dataset, which should be few. */
    public BufferedImage paint(Dataset dataset) {
        int rows = (dataset.size() + columns - 1) / columns;
        int cell = side + GAP;
        BufferedImage sheet =
                new BufferedImage(columns * cell + GAP, rows * (cell + TEXT) + GAP, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = sheet.createGraphics();
        graphics.setColor(Color.WHITE);
        graphics.fillRect(0, 0, sheet.getWidth(), sheet.getHeight());
        graphics.setColor(Color.BLACK);
        graphics.setFont(new Font(Font.SANS_SERIF, Font.PLAIN, TEXT - 4));
        graphics.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
        for (int i = 0; i < dataset.size(); i++) {
            Sample sample = dataset.get(i);
            int x = GAP + i % columns * cell;
            int y = GAP + i / columns * (cell + TEXT);
            graphics.drawImage(Pixels.picture(sample.image()), x, y, side, side, null);
            graphics.setClip(x, y + side, side, TEXT);
            graphics.drawString(name(dataset, sample), x, y + side + TEXT - 3);
            graphics.setClip(null);
        }
        graphics.dispose();
        return sheet;
    }

    private static String name(Dataset dataset, Sample sample) {
        return sample.label() == Sample.UNLABELLED ? "?" : dataset.classes().get(sample.label());
    }

    /** Writes the sheet as PNG. */
    public void write(Dataset dataset, Path file) throws IOException {
        AtomicFile.replace(file, ImageFile.png(paint(dataset)));
    }
}
