package ai.wood.lab;

import ai.wood.Matrix;
import ai.wood.Probabilities;
import ai.wood.cli.Inputs;
import ai.wood.cli.Json;
import ai.wood.cli.Main;
import ai.wood.transport.ExactTransport;
import ai.wood.transport.GroundCost;
import ai.wood.transport.Sinkhorn;
import ai.wood.transport.Transport;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Two distributions and a cost matrix in, Wasserstein distance and plan out. */
@Command(
        name = "transport",
        description = "Optimal transport between two distributions: its value and the plan.",
        footer = {
            "",
            "Distributions are files with one row or one column; one of the files may be -, standard input. Exact by a",
            "linear program, for up to about a hundred classes; with --lambda entropic by Sinkhorn's algorithm.",
            "",
            "Examples:",
            "  wood transport --from p.csv --to q.csv --cost costs.csv",
            "  wood transport --from p.csv --to q.csv --cost costs.csv --lambda 20 --json"
        })
final class TransportCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Option(names = "--from", paramLabel = "FILE", required = true, description = "The distribution to move from.")
    private Path from;

    @Option(names = "--to", paramLabel = "FILE", required = true, description = "The distribution to move to.")
    private Path to;

    @Option(names = "--cost", paramLabel = "FILE", required = true, description = "Costs; row: from, column: to.")
    private Path cost;

    @Option(names = "--lambda", paramLabel = "L", description = "Weight of the cost against the entropy.")
    private @Nullable Double lambda;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        Inputs inputs = new Inputs();
        Matrix costs = inputs.all(cost);
        double[] first = distribution(from, inputs);
        double[] second = distribution(to, inputs);
        Transport transport = lambda == null
                ? ExactTransport.solve(first, second, costs)
                : Sinkhorn.of(lambda).solve(first, second, costs);
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(Json.pretty(values(transport, costs)));
        } else {
            print(transport, costs, out);
        }
        return code(transport);
    }

    private static Map<String, Object> values(Transport transport, Matrix costs) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("value", transport.value());
        values.put("cost", transport.cost(costs));
        values.put("iterations", transport.iterations());
        values.put("converged", transport.converged());
        values.put("plan", rows(transport.plan()));
        return values;
    }

    private void print(Transport transport, Matrix costs, PrintWriter out) {
        out.println("value  " + transport.value());
        if (lambda != null) {
            out.println("cost   " + transport.cost(costs) + "   (" + transport.iterations() + " iterations, "
                    + (transport.converged() ? "converged)" : "NOT converged)"));
        }
        if (costs.rows() == costs.columns() && costs.rows() > 1) {
            out.println("costs  " + GroundCost.custom(costs).axioms());
        }
        out.println("plan");
        rows(transport.plan())
                .forEach(row -> out.println(
                        row.stream().map(mass -> String.format("%10.6f", mass)).collect(Collectors.joining(" "))));
    }

    private int code(Transport transport) {
        if (transport.converged()) {
            return 0;
        }
        spec.commandLine()
                .getErr()
                .println("wood: Sinkhorn's algorithm did not converge in " + transport.iterations()
                        + " iterations: the value is wrong. Maybe use a smaller --lambda, or none for the exact one.");
        return Main.BAD_INPUT;
    }

    private static double[] distribution(Path file, Inputs inputs) throws IOException {
        double[] masses = masses(file, inputs);
        try {
            Probabilities.check(masses);
        } catch (IllegalArgumentException e) {
            throw new IOException(Inputs.name(file) + ": " + e.getMessage(), e);
        }
        return masses;
    }

    private static double[] masses(Path file, Inputs inputs) throws IOException {
        Matrix matrix = inputs.all(file);
        if (matrix.rows() == 1) {
            return matrix.row(0);
        }
        if (matrix.columns() == 1) {
            return matrix.mapRows(row -> row[0]);
        }
        throw new IOException(Inputs.name(file) + ": a distribution must be one row or one column but the file is "
                + matrix.rows() + " x " + matrix.columns());
    }

    private static List<List<Double>> rows(Matrix plan) {
        return IntStream.range(0, plan.rows())
                .mapToObj(r -> Arrays.stream(plan.row(r)).boxed().toList())
                .toList();
    }
}
