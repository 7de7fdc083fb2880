package ai.wood.lab;

import ai.wood.cli.Json;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The learning bound of Theorem 1. */
@Command(
        name = "bound",
        description = "The learning bound of the WOOD loss (Theorem 1): how far training may be from the best risk.",
        footer = {
            "",
            "Example:",
            "  wood bound --ind 50000 --ood 10000 --ind-complexity 0.01 --ood-complexity 0.01 --min-probability 0.5"
        })
final class BoundCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Option(names = "--ind", paramLabel = "N", required = true, description = "Number of InD training samples.")
    private long ind;

    @Option(names = "--ood", paramLabel = "N", required = true, description = "Number of OOD training samples.")
    private long ood;

    @Option(
            names = "--ind-complexity",
            paramLabel = "R",
            required = true,
            description = "Rademacher complexity of the classifiers on the InD samples.")
    private double indComplexity;

    @Option(
            names = "--ood-complexity",
            paramLabel = "R",
            required = true,
            description = "Rademacher complexity of the classifiers on the OOD samples.")
    private double oodComplexity;

    @Option(
            names = "--min-probability",
            paramLabel = "M",
            required = true,
            description = "Least probability predicted for an InD sample's class.")
    private double minProbability;

    @Option(
            names = "--largest-cost",
            paramLabel = "A",
            defaultValue = "1",
            description = "Largest entry of the cost matrix. Default: ${DEFAULT-VALUE}, as for binary and dynamic.")
    private double largestCost;

    @Option(
            names = "--beta",
            paramLabel = "B",
            defaultValue = "0.1",
            description = "Weight of the OOD term. Default: ${DEFAULT-VALUE}.")
    private double beta;

    @Option(
            names = "--delta",
            paramLabel = "D",
            defaultValue = "0.05",
            description = {
                "Probability with which each of the four bounds that the proof adds may fail; the paper takes it for"
                        + " that of the whole. Default: ${DEFAULT-VALUE}."
            })
    private double delta;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    public Integer call() {
        RiskBound bound =
                new RiskBound(ind, ood, indComplexity, oodComplexity, minProbability, largestCost, beta, delta);
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            Map<String, Object> values = new LinkedHashMap<>();
            values.put("bound", bound.value());
            values.put("ind", bound.ind());
            values.put("ood", bound.ood());
            values.put("delta", delta);
            values.put("probability", bound.probability());
            out.println(Json.pretty(values));
        } else {
            out.printf(
                    "excess risk <= %.6f with probability %.4g by the paper's words, %.4g by its proof%n",
                    bound.value(), 1 - delta, bound.probability());
            out.printf("  InD part     %.6f%n  OOD part     %.6f%n", bound.ind(), bound.ood());
        }
        return 0;
    }
}
