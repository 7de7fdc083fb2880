package ai.wood.torch;

import org.bytedeco.pytorch.global.torch;

/**
 * Loads libtorch with the settings it needs before its first operation.
 *
 * <p>JavaCPP's own limit on native memory is switched off (it counts the whole process against the Java heap); a
 * libtorch that happens to be installed on the machine is kept out; and oneDNN is held at AVX-512, because some virtual
 * machines announce AMX without having it. A property or environment variable that the user has set wins.
 *
 * <p>Half of the speed on Linux depends on glibc's allocator keeping freed memory. It reads its settings before the JVM
 * runs, so a launcher must set them: {@code MALLOC_ARENA_MAX=1 MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=17179869184
 * MALLOC_TOP_PAD_=134217728}.
 */
public final class Engine {

    static {
        setUnlessPresent("org.bytedeco.javacpp.maxBytes", "0");
        setUnlessPresent("org.bytedeco.javacpp.maxPhysicalBytes", "0");
        loadBundled();
        if (System.getenv("ONEDNN_MAX_CPU_ISA") == null) {
            torch.set_env("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16");
        }
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

    /** Allows only algorithms that give the same bits on every run; slower on CUDA, free on CPU. */
    public static void deterministic(boolean on) {
        torch.globalContext().setDeterministicAlgorithms(on, false);
        torch.globalContext().setDeterministicCuDNN(on);
    }

    /** JavaCPP looks for libraries in {@code java.library.path} too; while it loads, there is none. */
    private static void loadBundled() {
        String path = System.getProperty("java.library.path", "");
        System.setProperty("java.library.path", "");
        try {
            torch.set_num_threads(torch.get_num_threads());
        } finally {
            System.setProperty("java.library.path", path);
        }
    }

    private static void setUnlessPresent(String key, String value) {
        if (System.getProperty(key) == null) {
            System.setProperty(key, value);
        }
    }
}
