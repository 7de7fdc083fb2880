package ai.wood.torch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Loads libtorch with the settings it needs before its first operation.
 *
 * <p>JavaCPP's own limit on native memory is switched off (it counts the whole process against the Java heap); a
 * libtorch that happens to be installed on the machine is kept out; and oneDNN is held at AVX-512, because some virtual
 * machines announce AMX without having it. A property or environment variable that the user has set wins.
 *
 * <p>Half of the speed on Linux depends on glibc's allocator keeping freed memory. It reads its settings before the JVM
 * runs, so a launcher must set them: {@code MALLOC_ARENA_MAX=4 MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=17179869184
 * MALLOC_TOP_PAD_=134217728}, and to train {@code MALLOC_ARENA_MAX=1}. {@code GOMP_SPINCOUNT=10000} keeps threads that wait for each other from
 * burning a busy machine's time.
 */
public final class Engine {

    private static final Pattern BLAS = Pattern.compile("BLAS_INFO=(\\w+)");

    static {
        setUnlessPresent("org.bytedeco.javacpp.maxBytes", "0");
        setUnlessPresent("org.bytedeco.javacpp.maxPhysicalBytes", "0");
        unpack();
        if (System.getenv("ONEDNN_MAX_CPU_ISA") == null) {
            torch.set_env("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16");
        }
        torch.globalContext().setAllowTF32CuDNN(false); // 32-bit floats mean it; bf16 is for speed
    }

    private Engine() {}

    /** Makes sure that libtorch is loaded; every type of this package calls it. */
    public static void start() {
        // The work is done once, by the class initialiser.
    }

    /** The version of the binding, which starts with that of libtorch; "unknown" where its jar was repacked. */
    public static String version() {
        String version = torch.class.getPackage().getImplementationVersion();
        return version == null ? "unknown" : version;
    }

    /** What libtorch was built with and runs on: its version, oneDNN, BLAS, OpenMP, vector instructions, threads. */
    public static Map<String, String> build() {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("version", version());
        facts.put("oneDNN", text(torch.get_mkldnn_version()));
        Matcher blas = BLAS.matcher(torch.show_config().getString());
        facts.put("blas", blas.find() ? blas.group(1) : "unknown");
        facts.put("openMP", text(torch.get_openmp_version()));
        facts.put("vectors", text(torch.get_cpu_capability()));
        facts.put("threads", Integer.toString(torch.get_num_threads()));
        return facts;
    }

    private static String text(BytePointer pointer) {
        try (pointer) {
            return pointer.getString().strip().replaceAll("\\s+", " ").replaceAll(" ?\\(.*", "");
        }
    }

    /**
     * Sets how many native threads an operation of the calling thread may use.
     *
     * @throws IllegalArgumentException for less than one
     */
    public static void threads(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("an operation needs at least 1 thread but got " + count);
        }
        torch.set_num_threads(count);
    }

    /**
     * Allows only algorithms that give the same bits on every run, which costs nothing on a CPU; otherwise a GPU may try
     * several and take the fastest.
     */
    public static void deterministic(boolean on) {
        torch.globalContext().setDeterministicAlgorithms(on, false);
        torch.globalContext()
                .setDeterministicFillUninitializedMemory(false); // nothing here reads what it has not written
        torch.globalContext().setDeterministicCuDNN(on);
        torch.globalContext().setBenchmarkCuDNN(!on);
    }

    /**
     * JavaCPP loads libtorch before it has unpacked libtorch_cpu, so that the linker would take one that the machine
     * has installed, of another version. Unpacked first, ours is found beside it.
     */
    private static void unpack() {
        try {
            for (String suffix : new String[] {"", "-gpu"}) {
                String folder = "/org/bytedeco/pytorch/" + Loader.getPlatform() + suffix + "/";
                Loader.cacheResource(Tensor.class, folder + System.mapLibraryName("torch_cpu"));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "libtorch could not be unpacked to the cache in the home folder. Maybe the disk is full, or set"
                            + " org.bytedeco.javacpp.cachedir.",
                    e);
        }
    }

    private static void setUnlessPresent(String key, String value) {
        if (System.getProperty(key) == null) {
            System.setProperty(key, value);
        }
    }
}
