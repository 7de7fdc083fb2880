package ai.wood.transport;

import ai.wood.Matrix;
import ai.wood.Probabilities;
import java.math.BigDecimal;
import java.util.Arrays;

/**
 * The Wasserstein distance between two discrete distributions as the linear program that defines it (paper, Eq. 2-4):
 * the oracle every closed form is checked against. For a handful to some hundred classes.
 *
 * <p>Mass goes row by row along the cheapest way that is left, on which mass sent before may be taken back: successive
 * shortest paths (Dijkstra's, with potentials). Masses are added and subtracted without rounding, so that a class keeps its
 * own however little it is; only costs are rounded.
 *
 * @see <a href="https://doi.org/10.1145/321694.321699">Edmonds and Karp 1972, Theoretical Improvements in Algorithmic
 *     Efficiency for Network Flow Problems</a>
 */
public final class ExactTransport {

    private final Matrix costs;
    private final int[] rows; // those with mass
    private final int[] columns;
    private final BigDecimal[] supply; // not sent yet
    private final BigDecimal[] demand; // not received yet
    private final BigDecimal[][] plan;
    private final double[] a; // a_i + b_j <= M[i][j], with equality where mass moves
    private final double[] b;

    private ExactTransport(double[] from, double[] to, Matrix costs) {
        this.costs = costs;
        this.rows = Transport.support(from);
        this.columns = Transport.support(to);
        this.supply = masses(from);
        this.demand = masses(to);
        int most = Probabilities.argmax(to);
        demand[most] = demand[most].add(sum(supply)).subtract(sum(demand)); // what scaling has rounded
        this.plan = new BigDecimal[from.length][to.length];
        this.a = new double[from.length];
        this.b = new double[to.length];
        for (BigDecimal[] row : plan) {
            Arrays.fill(row, BigDecimal.ZERO);
        }
    }

    /** Minimises {@code <P, M>} over all plans with the given marginals. */
    public static Transport solve(double[] from, double[] to, Matrix costs) {
        Transport.check(from, to, costs);
        ExactTransport transport = new ExactTransport(from, to, costs);
        for (int i : transport.rows) {
            transport.a[i] = transport.leastOfRow(i);
            while (transport.supply[i].signum() > 0) {
                transport.send(i);
            }
        }
        transport.pricesWithoutMass(from, to);
        return transport.solved();
    }

    private static BigDecimal[] masses(double[] distribution) {
        double sum = Rows.sum(distribution);
        return Arrays.stream(distribution)
                .mapToObj(mass -> new BigDecimal(mass / sum))
                .toArray(BigDecimal[]::new);
    }

    private static BigDecimal sum(BigDecimal[] masses) {
        return Arrays.stream(masses).reduce(BigDecimal.ZERO, BigDecimal::add);
    }

    /** Sends mass from a row along the cheapest way to a column that still lacks some. */
    private void send(int source) {
        Ways ways = new Ways(source);
        int end = ways.find();
        for (int i : rows) {
            if (ways.rowReached[i]) {
                a[i] += ways.toColumn[end] - ways.toRow[i];
            }
        }
        for (int j : columns) {
            if (ways.columnReached[j]) {
                b[j] -= ways.toColumn[end] - ways.toColumn[j];
            }
        }
        BigDecimal mass = supply[source].min(demand[end]);
        for (int i = ways.rowBefore[end]; i != source; i = ways.rowBefore[ways.columnBefore[i]]) {
            mass = mass.min(plan[i][ways.columnBefore[i]]);
        }
        supply[source] = supply[source].subtract(mass);
        demand[end] = demand[end].subtract(mass);
        int j = end;
        for (int i = ways.rowBefore[j]; i != source; i = ways.rowBefore[j]) {
            plan[i][j] = plan[i][j].add(mass);
            j = ways.columnBefore[i];
            plan[i][j] = plan[i][j].subtract(mass);
        }
        plan[source][j] = plan[source][j].add(mass);
    }

    /** The largest potential of a row that those of the columns allow. */
    private double leastOfRow(int i) {
        return Arrays.stream(columns)
                .mapToDouble(j -> costs.get(i, j) - b[j])
                .min()
                .orElseThrow();
    }

    /** The potentials of classes without mass: what a first bit of it would cost. */
    private void pricesWithoutMass(double[] from, double[] to) {
        for (int i = 0; i < a.length; i++) {
            a[i] = from[i] > 0 ? a[i] : leastOfRow(i);
        }
        for (int j = 0; j < b.length; j++) {
            if (to[j] == 0) {
                b[j] = Double.POSITIVE_INFINITY;
                for (int i = 0; i < a.length; i++) {
                    b[j] = Math.min(b[j], costs.get(i, j) - a[i]);
                }
            }
        }
    }

    private Transport solved() {
        double[] masses = new double[a.length * b.length];
        double value = 0;
        for (int i : rows) {
            for (int j : columns) {
                double mass = plan[i][j].doubleValue();
                masses[i * b.length + j] = mass;
                value += mass * costs.get(i, j);
            }
        }
        return new Transport(value, Matrix.wrap(masses, b.length), Transport.pair(new double[][] {a, b}), 0, true);
    }

    /** The cheapest ways from one row, in costs less potentials: none is negative, and taking mass back costs nothing. */
    private final class Ways {

        final double[] toRow = new double[a.length];
        final double[] toColumn = new double[b.length];
        final int[] columnBefore = new int[a.length];
        final int[] rowBefore = new int[b.length];
        final boolean[] rowReached = new boolean[a.length];
        final boolean[] columnReached = new boolean[b.length];

        Ways(int source) {
            Arrays.fill(toColumn, Double.POSITIVE_INFINITY);
            reach(source, 0);
        }

        /** Goes on, the nearest column first, to one that still lacks mass; there is one as long as a row has some to send. */
        int find() {
            while (true) {
                int nearest = -1;
                for (int j : columns) {
                    if (!columnReached[j] && (nearest < 0 || toColumn[j] < toColumn[nearest])) {
                        nearest = j;
                    }
                }
                if (demand[nearest].signum() > 0) {
                    return nearest;
                }
                columnReached[nearest] = true;
                for (int i : rows) {
                    if (!rowReached[i] && plan[i][nearest].signum() > 0) {
                        columnBefore[i] = nearest;
                        reach(i, toColumn[nearest]);
                    }
                }
            }
        }

        private void reach(int i, double far) {
            rowReached[i] = true;
            toRow[i] = far;
            for (int j : columns) {
                double way = far + Math.max(0, costs.get(i, j) - a[i] - b[j]);
                if (!columnReached[j] && way < toColumn[j]) {
                    toColumn[j] = way;
                    rowBefore[j] = i;
                }
            }
        }
    }
}
