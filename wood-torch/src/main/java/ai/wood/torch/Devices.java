package ai.wood.torch;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.DeviceType;
import org.bytedeco.pytorch.global.torch_cuda;

/** Where tensors live, by the names PyTorch uses: {@code cpu}, {@code cuda}, {@code cuda:1}; {@code auto} chooses. */
public final class Devices {

    private static final Pattern CUDA = Pattern.compile("cuda(?::(\\d{1,2}))?");

    static {
        Engine.start();
    }

    private Devices() {}

    /** The main processor. */
    public static Device cpu() {
        return NativeScope.retain(new Device(DeviceType.CPU));
    }

    /** The first GPU where libtorch sees one, the main processor otherwise; a name other than {@code auto} stays. */
    public static String resolve(String name) {
        return !name.equals("auto") ? name : gpus() > 0 ? "cuda" : "cpu";
    }

    /** How many GPUs libtorch sees: none in a build without them. */
    public static int gpus() {
        return torch.cuda_is_available() ? (int) torch.cuda_device_count() : 0;
    }

    /**
     * The device of a name.
     *
     * @throws IllegalArgumentException for an unknown name, or a GPU that is not there
     */
    public static Device of(String name) {
        String resolved = resolve(name);
        if (resolved.equals("cpu")) {
            return cpu();
        }
        Matcher matcher = CUDA.matcher(resolved);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("a device is auto, cpu, cuda or cuda:N but got '" + name + "'");
        }
        int index = matcher.group(1) == null ? 0 : Integer.parseInt(matcher.group(1));
        if (index >= gpus()) {
            throw new IllegalArgumentException(
                    "device " + name + " was asked for but libtorch sees " + gpus()
                            + " GPUs. Maybe this was built without WOOD_CUDA=1 (in Maven -Pcuda), or the CUDA libraries are missing.");
        }
        return NativeScope.retain(new Device(DeviceType.CUDA, (byte) index));
    }

    /** Waits until a GPU has done all the calling thread's work, so that another thread or queue can build on it. */
    public static void await(Device device) {
        if (device.is_cuda()) {
            torch_cuda.getCurrentCUDAStream(device.index()).synchronize();
        }
    }
}
