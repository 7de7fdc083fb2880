package ai.wood.spark;

import ai.wood.SampleDetector;
import ai.wood.Verdict;
import ai.wood.data.Image;
import ai.wood.data.ImageFile;
import java.io.IOException;
import java.util.List;
import org.apache.spark.sql.Row;

/** Images as the bytes of their files. An image that waits in a batch is as small as the classifier wants it. */
record ImageCells(SampleDetector<Image> images, int column, long maxPixels) implements Cells<Image> {

    /** The size of a file, at most. */
    static final int MAX_BYTES = 1 << 26;

    private static final int BATCH = 64;

    @Override
    public int batch() {
        return BATCH;
    }

    @Override
    public long bytes(Row row) {
        return row.get(column) instanceof byte[] bytes ? bytes.length : 0;
    }

    @Override
    public Image read(Row row) throws IOException {
        if (!(row.get(column) instanceof byte[] bytes) || bytes.length > MAX_BYTES) {
            throw new IOException("there must be an image of at most " + MAX_BYTES + " bytes but there is none");
        }
        return images.prepare().apply(ImageFile.read(bytes, "image", maxPixels));
    }

    @Override
    public List<Verdict> judge(List<Image> batch) {
        return images.detect(batch);
    }

    @Override
    public String name(int label) {
        return images.detector().classes().get(label);
    }
}
