package ai.wood.server;

import io.javalin.http.Context;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.eclipse.jetty.util.Fields;
import org.eclipse.jetty.util.UrlEncoded;

/** The judges of a server, by the names of their detectors. */
final class Judges implements AutoCloseable {

    private final Map<String, Judge> byName = new LinkedHashMap<>();

    Judges(List<NamedDetector> detectors, ServerOptions options, MeterRegistry meters) {
        Set<String> names = detectors.stream().map(NamedDetector::name).collect(Collectors.toSet());
        if (names.size() < detectors.size()) {
            throw new IllegalArgumentException("detectors must have different names but are called "
                    + detectors.stream().map(NamedDetector::name).toList() + ". Maybe give one as NAME=PATH.");
        }
        try {
            for (NamedDetector served : detectors) {
                byName.put(served.name(), new Judge(served, options, meters, InstantSource.system()));
            }
        } catch (RuntimeException e) {
            close(); // those that began
            throw e;
        }
    }

    Collection<Judge> all() {
        return byName.values();
    }

    /** The one that the path names. */
    Judge named(Context ctx) {
        return find(ctx.pathParam("name"));
    }

    /** The one that the query names; it need not where there is only one. */
    Judge chosen(Context ctx) {
        String name = query(ctx).getValue("detector");
        if (name == null && byName.size() > 1) {
            throw Problem.badRequest("there are several detectors: choose with ?detector=, one of " + byName.keySet());
        }
        return name == null ? all().iterator().next() : find(name);
    }

    /** Whether the verdicts count in the monitor: not for the page, probes and load tests, which send {@code monitor=false}. */
    static boolean monitored(Context ctx) {
        String value = query(ctx).getValue("monitor");
        if (value != null && !value.equals("true") && !value.equals("false")) {
            throw Problem.badRequest("monitor must be true or false");
        }
        return !"false".equals(value);
    }

    /** Javalin would decode it by the charset of the body, and find nothing where that is unknown. */
    private static Fields query(Context ctx) {
        Fields fields = new Fields();
        String query = ctx.queryString();
        try {
            UrlEncoded.decodeUtf8To(query == null ? "" : query, fields);
        } catch (IllegalArgumentException e) {
            throw Problem.badRequest("the query must be well encoded");
        }
        return fields;
    }

    private Judge find(String name) {
        Judge judge = byName.get(name);
        if (judge == null) {
            throw Problem.of(404, "there is no such detector; there are " + byName.keySet());
        }
        return judge;
    }

    @Override
    public void close() {
        all().forEach(Judge::close);
    }
}
