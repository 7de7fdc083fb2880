package ai.wood.spark;

import org.apache.spark.sql.SparkSession;

/** Spark within the process of the tests, one for all of them. */
final class LocalSpark {

    private LocalSpark() {}

    static SparkSession session() {
        return SparkSession.builder()
                .master("local[2]")
                .config("spark.ui.enabled", false)
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.sql.shuffle.partitions", 2)
                .getOrCreate();
    }
}
