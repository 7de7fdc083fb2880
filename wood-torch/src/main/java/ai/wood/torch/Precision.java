package ai.wood.torch;

import static org.bytedeco.pytorch.global.torch.clear_cache;
import static org.bytedeco.pytorch.global.torch.decrement_nesting;
import static org.bytedeco.pytorch.global.torch.increment_nesting;
import static org.bytedeco.pytorch.global.torch.set_autocast_dtype;
import static org.bytedeco.pytorch.global.torch.set_autocast_enabled;

import ai.wood.Names;
import java.util.function.Supplier;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.global.torch.DeviceType;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** The number format of a network's arithmetic; weights are always 32-bit floats. */
public enum Precision {
    /** 32-bit floats throughout. */
    FP32,
    /** Automatic mixed precision: convolutions and linear layers in bfloat16, the rest in 32 bits. */
    BF16;

    /** The name on the command line. */
    @Override
    public String toString() {
        return Names.of(this);
    }

    /** Runs a forward pass in this precision. */
    public <T> T run(Device device, Supplier<T> pass) {
        if (this == FP32) {
            return pass.get();
        }
        DeviceType type = device.type();
        set_autocast_dtype(type, ScalarType.BFloat16);
        set_autocast_enabled(type, true);
        increment_nesting();
        try {
            return pass.get();
        } finally {
            if (decrement_nesting() == 0) {
                clear_cache();
            }
            set_autocast_enabled(type, false);
        }
    }
}
