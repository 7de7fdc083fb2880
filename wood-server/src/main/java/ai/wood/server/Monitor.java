package ai.wood.server;

import ai.wood.Seed;
import ai.wood.Verdict;
import ai.wood.calibrate.DriftTest;
import ai.wood.server.RecentScores.Summary;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Watches the verdicts of one detector: how many of which kind, where their scores lie, and whether the world has changed. */
final class Monitor {

    private static final Logger LOG = LoggerFactory.getLogger(Monitor.class);
    /** With more classes than this, or without classes, verdicts are counted together. */
    private static final int MOST_LABELS = 1000;

    private final NamedDetector served;
    private final double falseAlarms;
    private final InstantSource clock;
    private final List<Counter> ind;
    private final List<Counter> ood;
    private final RecentScores recent;
    private volatile Watch watch;

    /** A drift test and when it began and fired. */
    private static final class Watch {
        private final DriftTest test;
        private final Instant since;
        private volatile @Nullable Instant fired;

        Watch(DriftTest test, Instant since) {
            this.test = test;
            this.since = since;
        }
    }

    Monitor(NamedDetector served, double falseAlarms, MeterRegistry meters, InstantSource clock) {
        this.served = served;
        this.falseAlarms = falseAlarms;
        this.clock = clock;
        this.recent = new RecentScores(clock);
        this.watch = begin();
        this.ind = counters("ind", meters);
        this.ood = counters("ood", meters);
        for (double level : new double[] {0.05, 0.25, 0.5, 0.75, 0.95, 0.99}) {
            gauge(
                            "wood.score",
                            "quantiles of the scores of the last hour",
                            m -> m.recent.summary().quantile(level))
                    .tag("quantile", String.valueOf(level))
                    .register(meters);
        }
        gauge(
                        "wood.ood.rate",
                        "share judged OOD in the last hour",
                        m -> m.recent.summary().oodRate())
                .register(meters);
        gauge(
                        "wood.drift.evidence",
                        "capital won by betting that the world has changed; alarm at 1 / false alarms",
                        m -> m.watch.test.evidence())
                .register(meters);
        gauge("wood.drift.alarm", "1 when the world has changed", m -> m.watch.test.firedAt() > 0 ? 1 : 0)
                .register(meters);
    }

    /** A timer by detector, with the figures that people look at. */
    static Timer.Builder timer(String metric, String description, String detector) {
        return Timer.builder(metric)
                .description(description)
                .tag("detector", detector)
                .publishPercentiles(0.5, 0.95, 0.99);
    }

    private Gauge.Builder<Monitor> gauge(String metric, String description, ToDoubleFunction<Monitor> value) {
        return Gauge.builder(metric, this, value).description(description).tag("detector", served.name());
    }

    private List<Counter> counters(String verdict, MeterRegistry meters) {
        int classes = served.classes().size();
        boolean together = classes == 0 || classes > MOST_LABELS;
        return IntStream.range(0, Math.max(1, classes))
                .mapToObj(k -> Counter.builder("wood.verdicts")
                        .description("verdicts by label")
                        .tag("detector", served.name())
                        .tag("label", together ? "any" : served.classes().get(k))
                        .tag("verdict", verdict)
                        .register(meters))
                .toList();
    }

    private Watch begin() {
        Seed seed = new Seed(new SecureRandom().nextLong());
        return new Watch(new DriftTest(served.calibration(), falseAlarms, seed), clock.instant());
    }

    /** Forgets all that the drift test has seen, and its alarm. */
    void restart() {
        watch = begin();
        LOG.info("detector {}: the drift test begins anew", served.name());
    }

    void record(Verdict verdict) {
        (verdict.ood() ? ood : ind).get(Math.max(0, verdict.label())).increment();
        recent.add(verdict.score(), verdict.ood());
        Watch now = watch;
        if (now.test.add(verdict.score())) {
            now.fired = clock.instant();
            LOG.warn(
                    "detector {}: DRIFT. Sample {} since {}: scores no longer look like those of the calibration"
                            + " samples. By chance this would ever happen in {}% of servers.",
                    served.name(), now.test.firedAt(), now.since, 100 * falseAlarms);
        }
    }

    Summary recent() {
        return recent.summary();
    }

    ObjectNode json() {
        Summary summary = recent.summary();
        Watch now = watch;
        ObjectNode json = HttpJson.object().put("detector", served.name());
        json.putObject("lastHour")
                .put("judged", summary.judged())
                .put("ood", summary.ood())
                .put("oodRate", HttpJson.finite(summary.oodRate()))
                .put("medianScore", HttpJson.finite(summary.quantile(0.5)));
        json.putObject("drift")
                .put("alarm", now.test.firedAt() > 0)
                .put("evidence", HttpJson.finite(now.test.evidence()))
                .put("alarmAt", 1 / falseAlarms)
                .put("falseAlarms", falseAlarms)
                .put("samples", now.test.samples())
                .put("since", now.since.toString())
                .put("firedAtSample", now.test.firedAt() > 0 ? now.test.firedAt() : null)
                .put("firedAt", now.fired == null ? null : now.fired.toString());
        return json;
    }
}
