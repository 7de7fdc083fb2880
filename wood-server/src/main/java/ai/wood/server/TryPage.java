package ai.wood.server;

import ai.wood.data.Catalogue;
import ai.wood.data.Dataset;
import ai.wood.data.ImageFile;
import ai.wood.data.Sample;
import ai.wood.data.Split;
import ai.wood.metric.Bins;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The page on which people try detectors, and its data. Its files and the charts of reports are resources. */
final class TryPage {

    private static final int BINS = 40;
    /** Room for scores above those of the calibration samples, as a share of theirs. */
    private static final double BEYOND = 0.3;

    private final Map<String, Handler> files = new LinkedHashMap<>();
    private final Handler html;
    private final Handler openApi;
    private final List<SampleImage> samples = new ArrayList<>();
    private final Handler detectors;

    TryPage(List<NamedDetector> served) throws IOException {
        this.html = read("page.html", "text/html; charset=utf-8");
        this.openApi = read("openapi.json", HttpJson.CONTENT_TYPE);
        for (String script : List.of("/ai/wood/page/chart.js", "page.js")) {
            put(script, "text/javascript; charset=utf-8");
        }
        for (String style : List.of("/ai/wood/page/report.css", "page.css")) {
            put(style, "text/css; charset=utf-8");
        }
        addSamples();
        this.detectors = sender(HttpJson.CONTENT_TYPE, HttpJson.bytes(describe(served)));
    }

    /** An image to try a detector with. */
    private record SampleImage(String name, Handler png) {}

    private void addSamples() throws IOException {
        Catalogue catalogue = Catalogue.at(null);
        addSamples(catalogue.open("mnist-small", Split.TEST), "digit ", 4);
        addSamples(catalogue.open("fashion-mnist-small", Split.TEST), "", 3);
        addSample(catalogue.open("rotated:mnist-small", Split.TEST).get(0), "turned digit");
        addSample(catalogue.open("blobs", Split.TEST).get(0), "blobs");
    }

    /** The first image of each of the classes that come first. */
    private void addSamples(Dataset images, String prefix, int count) {
        Set<Integer> seen = new HashSet<>();
        for (int i = 0; seen.size() < count; i++) {
            Sample sample = images.get(i);
            if (seen.add(sample.label())) {
                addSample(sample, prefix + images.classes().get(sample.label()));
            }
        }
    }

    private void addSample(Sample sample, String name) {
        samples.add(new SampleImage(name, sender("image/png", ImageFile.png(sample.image()))));
    }

    private void put(String resource, String contentType) throws IOException {
        files.put(resource.substring(resource.lastIndexOf('/') + 1), read(resource, contentType));
    }

    private static Handler read(String resource, String contentType) throws IOException {
        try (InputStream stream = TryPage.class.getResourceAsStream(resource)) {
            if (stream == null) {
                throw new IOException(resource + ": is missing from this build");
            }
            return sender(contentType, stream.readAllBytes());
        }
    }

    private ObjectNode describe(List<NamedDetector> served) {
        ObjectNode json = HttpJson.object();
        ArrayNode all = json.putArray("detectors");
        served.forEach(each -> describe(each, all.addObject()));
        ArrayNode images = json.putArray("samples");
        for (int i = 0; i < samples.size(); i++) {
            images.addObject().put("name", samples.get(i).name()).put("path", "/v1/samples/" + i);
        }
        return json;
    }

    private static void describe(NamedDetector served, ObjectNode json) {
        json.put("name", served.name()).put("scorer", served.scorer());
        json.put("tnr", served.detector().policy().tnr());
        served.shape()
                .ifPresentOrElse(
                        shape -> json.putArray("shape")
                                .add(shape.channels())
                                .add(shape.height())
                                .add(shape.width()),
                        () -> json.putNull("shape"));
        ArrayNode classes = json.putArray("classes");
        served.classes().forEach(classes::add);
        Bins.Range seen = Bins.Range.of(served.calibration());
        double high = seen.high() + BEYOND * (seen.high() - seen.low());
        Bins bins = new Bins(new Bins.Range(seen.low(), high), BINS);
        ObjectNode calibration = json.putObject("calibration")
                .put("size", served.calibration().length)
                .put("low", seen.low())
                .put("high", high);
        ArrayNode counts = calibration.putArray("counts");
        for (int count : bins.counts(served.calibration())) {
            counts.add(count);
        }
    }

    private static Handler sender(String contentType, byte[] content) {
        return ctx -> ctx.contentType(contentType).result(content);
    }

    Handler html() {
        return html;
    }

    Handler openApi() {
        return openApi;
    }

    Handler detectors() {
        return detectors;
    }

    void file(Context ctx) throws Exception {
        Handler file = files.get(ctx.pathParam("file"));
        if (file == null) {
            throw Problem.of(404, "the page has no such file");
        }
        file.handle(ctx);
    }

    void sample(Context ctx) throws Exception {
        String index = ctx.pathParam("index");
        if (!index.matches("[0-9]{1,3}") || Integer.parseInt(index) >= samples.size()) {
            throw Problem.of(404, "there is no such sample");
        }
        samples.get(Integer.parseInt(index)).png().handle(ctx);
    }
}
