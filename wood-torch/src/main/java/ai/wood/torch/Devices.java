package ai.wood.torch;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.DeviceType;

/** Where tensors live, by the names PyTorch uses: {@code cpu}, {@code cuda}, {@code cuda:1}. */
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

    /**
     * The device of a name.
     *
     * @throws IllegalArgumentException for an unknown name, or a GPU that is not there
     */
    public static Device of(String name) {
        if (name.equals("cpu")) {
            return cpu();
        }
        Matcher matcher = CUDA.matcher(name);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("a device is cpu, cuda or cuda:N but got '" + name + "'");
        }
        int index = matcher.group(1) == null ? 0 : Integer.parseInt(matcher.group(1));
        int count = torch.cuda_is_available() ? (int) torch.cuda_device_count() : 0;
        if (index >= count) {
            throw new IllegalArgumentException("device " + name + " was asked for but libtorch sees " + count
                    + " GPUs. Maybe this was built without -Pcuda, or the CUDA libraries are missing.");
        }
        return NativeScope.retain(new Device(DeviceType.CUDA, (byte) index));
    }
}
