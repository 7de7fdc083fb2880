package ai.wood.spark;

import static org.assertj.core.api.Assertions.assertThat;

import ai.wood.Verdict;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.Test;

class JudgedRowsTest {

    /** Numbers, of which every seventh cannot be read; the score is the number. */
    private record Numbers(long bytes, List<Integer> batches) implements Cells<Integer> {

        @Override
        public int batch() {
            return 50;
        }

        @Override
        public long bytes(Row row) {
            return bytes;
        }

        @Override
        public Integer read(Row row) throws IOException {
            int number = row.getInt(0);
            if (number % 7 == 0) {
                throw new IOException(number + " is divisible by 7");
            }
            return number;
        }

        @Override
        public List<Verdict> judge(List<Integer> batch) {
            batches.add(batch.size());
            return batch.stream()
                    .map(number -> new Verdict(0, 1, number, 1, 0, false))
                    .toList();
        }

        @Override
        public String name(int label) {
            return "number";
        }
    }

    private final AtomicInteger taken = new AtomicInteger();

    private Iterator<Row> rows(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> {
                    taken.incrementAndGet();
                    return RowFactory.create(i);
                })
                .iterator();
    }

    @Test
    void everyRowComesOutOnceInOrderWithItsOwnVerdict() {
        JudgedRows<Integer> judged = new JudgedRows<>(rows(1234), new Numbers(1, new ArrayList<>()));
        for (int i = 0; i < 1234; i++) {
            Row row = judged.next();
            assertThat(row.getInt(0)).isEqualTo(i);
            if (i % 7 == 0) {
                assertThat(row.getString(6)).isEqualTo(i + " is divisible by 7");
            } else {
                assertThat(row.getDouble(3)).isEqualTo(i);
            }
        }
        assertThat(judged.hasNext()).isFalse();
    }

    @Test
    void oneBatchIsHeldHoweverManyRowsThereAre() {
        JudgedRows<Integer> judged = new JudgedRows<>(rows(Integer.MAX_VALUE), new Numbers(1, new ArrayList<>()));
        for (int i = 1; i <= 500; i++) {
            judged.next();
            assertThat(taken.get()).isLessThan(i + 50 + 2);
        }
    }

    @Test
    void largeRowsMakeSmallBatches() {
        List<Integer> batches = new ArrayList<>();
        JudgedRows<Integer> judged = new JudgedRows<>(rows(60), new Numbers(1 << 24, batches));
        judged.forEachRemaining(row -> {});
        assertThat(batches).hasSize(15).allMatch(size -> size <= 4);
    }

    @Test
    void aBatchWithoutAnyReadableRowIsNotJudged() {
        List<Integer> batches = new ArrayList<>();
        Iterator<Row> rows =
                IntStream.range(0, 60).mapToObj(i -> RowFactory.create(7 * i)).iterator();
        JudgedRows<Integer> judged = new JudgedRows<>(rows, new Numbers(1, batches));
        judged.forEachRemaining(row -> assertThat(row.isNullAt(6)).isFalse());
        assertThat(batches).isEmpty();
    }
}
