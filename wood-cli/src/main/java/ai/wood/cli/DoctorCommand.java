package ai.wood.cli;

import ai.wood.data.Catalogue;
import ai.wood.data.DatasetEntry;
import ai.wood.data.Split;
import ai.wood.onnx.OnnxNetwork;
import ai.wood.torch.Devices;
import ai.wood.torch.Engine;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What this machine offers, and what is wrong with it. */
@Command(
        name = "doctor",
        description =
                "Looks at this machine: Java, libtorch, ONNX Runtime, threads, memory settings, GPUs, disk, datasets.",
        footer = {
            "",
            "Exit code 0: all is well, or only slower than it could be. Exit code 2: something does not work.",
            "",
            "Examples:",
            "  wood doctor",
            "  wood doctor --json"
        })
final class DoctorCommand implements Callable<Integer> {

    private static final long DISK_NEEDED = 1_000_000_000;

    @Spec
    private CommandSpec spec;

    @Mixin
    private DataFolder data;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    private final Map<String, Object> facts = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();
    private final List<String> advice = new ArrayList<>();

    @Override
    public Integer call() throws IOException {
        facts.put("java", Runtime.version() + ", " + System.getProperty("java.home"));
        facts.put("system", System.getProperty("os.name") + " " + System.getProperty("os.arch"));
        facts.put("processors", Runtime.getRuntime().availableProcessors());
        facts.put("heap", gigabytes(Runtime.getRuntime().maxMemory()));
        libtorch();
        onnxRuntime();
        allocator();
        disk();
        datasets();
        facts.put("problems", problems);
        facts.put("advice", advice);
        print(spec.commandLine().getOut());
        return problems.isEmpty() ? 0 : Main.BAD_INPUT;
    }

    private void libtorch() {
        try {
            facts.put("libtorch", Engine.build());
            facts.put("gpus", Devices.gpus());
        } catch (LinkageError e) {
            facts.put("libtorch", Map.of());
            facts.put("gpus", 0);
            problems.add("libtorch cannot be loaded, so networks cannot run: " + Main.reason(e));
        }
    }

    private void onnxRuntime() {
        try {
            facts.put("onnx", OnnxNetwork.version());
        } catch (LinkageError | RuntimeException e) {
            facts.put("onnx", "");
            advice.add("ONNX Runtime cannot be loaded, so ONNX files cannot run: " + Main.reason(e));
        }
    }

    private void allocator() {
        Map<String, String> set = new TreeMap<>();
        System.getenv().forEach((name, value) -> {
            if (name.startsWith("MALLOC_") || name.equals("GOMP_SPINCOUNT")) {
                set.put(name, value);
            }
        });
        facts.put("allocator", set);
        if (!set.containsKey("MALLOC_TRIM_THRESHOLD_")
                && System.getProperty("os.name").equals("Linux")) {
            advice.add(
                    "glibc's allocator gives memory back too eagerly, which halves the speed of networks. Maybe start"
                            + " with ./wood, or set the variables that docs/guide.md names.");
        }
    }

    private void disk() throws IOException {
        Path here = Path.of("").toAbsolutePath();
        long free = Files.getFileStore(here).getUsableSpace();
        facts.put("disk", gigabytes(free) + " free in " + here);
        if (free < DISK_NEEDED) {
            problems.add("the disk of " + here + " is nearly full: " + gigabytes(free) + " left");
        }
    }

    private void datasets() {
        Path folder = data.catalogue().data();
        List<String> found = Catalogue.entries().stream()
                .filter(known -> known.isPresent(folder, Split.TEST))
                .map(DatasetEntry::name)
                .toList();
        facts.put("data", folder.toString());
        facts.put("datasets", found);
    }

    private void print(PrintWriter out) {
        if (json) {
            out.println(Json.pretty(facts));
            return;
        }
        facts.forEach((name, value) -> {
            if (value != problems && value != advice) {
                out.printf("%-11s %s%n", name, text(value));
            }
        });
        out.println();
        problems.forEach(problem -> out.println("PROBLEM  " + problem));
        advice.forEach(line -> out.println("Advice   " + line));
        out.println(problems.isEmpty() ? "Everything works." : "Something does not work.");
    }

    private static String text(Object value) {
        String text = value.toString().replaceAll("[\\[\\]{}]", "");
        return text.isEmpty() ? "none" : text;
    }

    private static String gigabytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f GB", bytes / 1e9);
    }
}
