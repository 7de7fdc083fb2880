package ai.wood.onnx.export;

import static ai.wood.onnx.export.GraphBuilder.setting;
import static ai.wood.onnx.export.GraphBuilder.settings;

import ai.wood.Matrix;
import java.util.List;

/**
 * A value of a graph, one row for each image, to calculate with. Every method adds an operation and returns its result.
 *
 * @param name in the graph
 */
record Value(GraphBuilder graph, String name) {

    private Value then(String operation) {
        return new Value(graph, graph.add(operation, name));
    }

    private Value then(String operation, Value other) {
        return new Value(graph, graph.add(operation, name, other.name));
    }

    /** A constant number. */
    Value number(double value) {
        return new Value(graph, graph.floats("number", new float[] {(float) value}));
    }

    /** A constant matrix. */
    Value constant(String wish, Matrix matrix) {
        return new Value(graph, graph.floats(wish, matrix.toFloats(), matrix.rows(), matrix.columns()));
    }

    Value plus(Value other) {
        return then("Add", other);
    }

    Value plus(double number) {
        return plus(number(number));
    }

    Value minus(Value other) {
        return then("Sub", other);
    }

    Value times(Value other) {
        return then("Mul", other);
    }

    Value times(double number) {
        return times(number(number));
    }

    Value over(Value other) {
        return then("Div", other);
    }

    Value over(double number) {
        return over(number(number));
    }

    Value negative() {
        return then("Neg");
    }

    Value squared() {
        return times(this);
    }

    Value root() {
        return then("Sqrt");
    }

    Value absolute() {
        return then("Abs");
    }

    Value exp() {
        return then("Exp");
    }

    Value log() {
        return then("Log");
    }

    /** {@code 1 / (1 + exp(-x))}, exact for small results. */
    Value sigmoid() {
        return negative().exp().plus(1).then("Reciprocal");
    }

    /** {@code log(1 + x)}, exact for small {@code x} (Kahan). */
    Value logOfOnePlus() {
        Value all = plus(1);
        Value rounded = all.plus(-1);
        Value exact = all.log().times(this).over(rounded);
        Value lost = rounded.then("Equal", number(0));
        return new Value(graph, graph.add("Where", lost.name, name, exact.name));
    }

    Value least(Value other) {
        return then("Min", other);
    }

    /** Replaces minus infinity, because its product with zero is NaN. */
    Value bounded() {
        return then("Max", number(-Float.MAX_VALUE));
    }

    /** The sum of each row. */
    Value sum() {
        return new Value(graph, graph.add("ReduceSum", name, graph.integers(1)));
    }

    /** The sum over the last of three axes. */
    Value innerSum() {
        return new Value(graph, graph.add("ReduceSum", List.of(setting("keepdims", 0)), name, graph.integers(2)));
    }

    /** The largest of each row. */
    Value largest() {
        return new Value(graph, graph.add("ReduceMax", List.of(settings("axes", 1)), name));
    }

    /** The smallest of each row. */
    Value smallest() {
        return new Value(graph, graph.add("ReduceMin", List.of(settings("axes", 1)), name));
    }

    /** Each row in falling order. */
    Value sorted(int columns) {
        return new Value(
                graph,
                graph.add("TopK", 2, List.of(setting("axis", 1)), name, graph.integers(columns))
                        .get(0));
    }

    /** Some columns. */
    Value columns(int from, int to) {
        return new Value(graph, graph.add("Slice", name, graph.integers(from), graph.integers(to), graph.integers(1)));
    }

    /** Each row as a matrix of one row, to be combined with many. */
    Value apart() {
        return new Value(graph, graph.add("Unsqueeze", name, graph.integers(1)));
    }

    /** {@code x M}. */
    Value timesMatrix(Value matrix) {
        return then("MatMul", matrix);
    }

    /** {@code x M^T}: the inner product with each row of a matrix. */
    Value dot(Value matrix) {
        return new Value(graph, graph.add("Gemm", List.of(setting("transB", 1)), name, matrix.name));
    }

    Value softmax() {
        return new Value(graph, graph.add("Softmax", List.of(setting("axis", 1)), name));
    }

    /** The number of the largest element of each row, which picks a row of a table. */
    Value pickedFrom(Value table) {
        String largest = graph.add("ArgMax", List.of(setting("axis", 1), setting("keepdims", 0)), name);
        return new Value(graph, graph.add("Gather", table.name, largest));
    }

    /** Whether it is greater than the other; true for NaN. */
    Value above(Value other) {
        return then("LessOrEqual", other).then("Not");
    }

    Value isNoNumber() {
        return then("IsNaN");
    }

    Value or(Value other) {
        return then("Or", other);
    }

    /** One column as a row of its own. */
    Value flat() {
        return new Value(graph, graph.add("Squeeze", name, graph.integers(1)));
    }
}
