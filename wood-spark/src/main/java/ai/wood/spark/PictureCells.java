package ai.wood.spark;

import ai.wood.data.Image;
import ai.wood.Verdict;
import ai.wood.bundle.Bundle;
import ai.wood.data.ImageFile;
import ai.wood.data.transform.Fit;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Pictures as the bytes of their files. What is kept of one is as small as the network wants it. */
record PictureCells(Bundle bundle, Fit fit, long maxPixels) implements Cells<Image> {

    /** A file may be at most so large. */
    static final int MAX_BYTES = 1 << 26;

    private static final int BATCH = 64;

    static PictureCells of(Bundle bundle, long maxPixels) {
        return new PictureCells(bundle, new Fit(bundle.shape().orElseThrow()), maxPixels);
    }

    @Override
    public int batch() {
        return BATCH;
    }

    @Override
    public long bytes(@Nullable Object cell) {
        return cell instanceof byte[] bytes ? bytes.length : 0;
    }

    @Override
    public Image read(@Nullable Object cell) throws IOException {
        if (!(cell instanceof byte[] bytes) || bytes.length > MAX_BYTES) {
            throw new IOException("there must be a picture of at most " + MAX_BYTES + " bytes but there is none");
        }
        return fit.apply(ImageFile.read(bytes, "picture", maxPixels), new SplittableRandom(0));
    }

    @Override
    public List<Verdict> judge(List<Image> batch) {
        return bundle.detector().judge(batch);
    }

    @Override
    public String name(int label) {
        return bundle.classes().get(label);
    }
}
