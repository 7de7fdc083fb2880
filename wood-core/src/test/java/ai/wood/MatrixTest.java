package ai.wood;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MatrixTest {

    @Test
    void rowsOfFloatsAndDoublesReadAlike() {
        Matrix doubles = Matrix.of(new double[] {1, 2.5, 3}, new double[] {4, 5, 6});
        Matrix floats = Matrix.wrap(new float[] {1, 2.5f, 3, 4, 5, 6}, 3);
        assertThat(floats).isEqualTo(doubles).hasSameHashCodeAs(doubles);
        assertThat(floats.row(1)).containsExactly(4, 5, 6);
        assertThat(doubles.get(0, 1)).isEqualTo(2.5);
    }

    @Test
    void refusesRowsOfDifferentLength() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Matrix.of(new double[] {1, 2}, new double[] {3}))
                .withMessage("row 1 has 1 columns but row 0 has 2");
        assertThatIllegalArgumentException().isThrownBy(() -> Matrix.wrap(new float[5], 2));
        assertThatIllegalArgumentException().isThrownBy(() -> Matrix.wrap(new float[5], 0));
    }

    @Test
    void mappingRowsGivesTheSameOnAnyNumberOfThreads() throws Exception {
        float[] data = new float[1_000_003 * 7];
        for (int i = 0; i < data.length; i++) {
            data[i] = i % 1009;
        }
        Matrix matrix = Matrix.wrap(data, 7);
        ForkJoinPool one = new ForkJoinPool(1);
        ForkJoinPool three = new ForkJoinPool(3);
        try {
            double[] alone =
                    one.submit(() -> matrix.mapRows(row -> row[0] + 2 * row[6])).get();
            double[] together = three.submit(() -> matrix.mapRows(row -> row[0] + 2 * row[6]))
                    .get();
            assertThat(Arrays.equals(together, alone)).isTrue();
            assertThat(alone[1_000_002]).isEqualTo((7L * 1_000_002) % 1009 + 2.0 * ((7L * 1_000_002 + 6) % 1009));
        } finally {
            one.shutdown();
            three.shutdown();
        }
    }

    /** A parallel stream would add the name of its class. */
    @Test
    void whatAFunctionThrowsInAnyThreadKeepsItsMessage() throws Exception {
        Matrix matrix = Matrix.wrap(new float[10_000_000], 1);
        ForkJoinPool three = new ForkJoinPool(3);
        try {
            three.submit(() -> {
                        Thread caller = Thread.currentThread();
                        CountDownLatch elsewhere = new CountDownLatch(1);
                        assertThatIllegalArgumentException()
                                .isThrownBy(() -> matrix.mapRows(row -> failElsewhere(caller, elsewhere)))
                                .withMessage("not this row");
                    })
                    .get();
        } finally {
            three.shutdown();
        }
    }

    /** Fails in every thread but the caller's, which waits for one of the others. */
    private static double failElsewhere(Thread caller, CountDownLatch elsewhere) {
        if (Thread.currentThread() == caller) {
            try {
                assertThat(elsewhere.await(1, TimeUnit.MINUTES)).isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return 0;
        }
        elsewhere.countDown();
        throw new IllegalArgumentException("not this row");
    }

    @Test
    void floatsComeRowByRow() {
        assertThat(Matrix.of(new double[] {1, 2, 3}, new double[] {4, 5, 6}).toFloats())
                .containsExactly(1, 2, 3, 4, 5, 6);
    }
}
