package ai.wood.torch;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.DeviceOptional;
import org.bytedeco.pytorch.MemoryFormatOptional;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptions;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** The few steps between Java arrays and tensors. */
public final class Tensors {

    static {
        Engine.start();
    }

    private Tensors() {}

    /** A float tensor on a device, with a copy of the first elements of an array. */
    public static Tensor of(float[] values, Device device, long... shape) {
        return NativeScope.tensor(
                () -> copy(torch.from_blob(new FloatPointer(values), shape), device, ScalarType.Float));
    }

    /** A tensor of labels (64-bit integers) on a device. */
    public static Tensor of(int[] labels, Device device) {
        return NativeScope.tensor(() -> copy(torch.tensor(labels), device, ScalarType.Long));
    }

    /** A tensor of bytes (unsigned) on a device, with a copy of the first elements of an array. */
    public static Tensor of(byte[] values, Device device, long... shape) {
        return NativeScope.tensor(() ->
                copy(torch.from_blob(new BytePointer(values), shape, bytesOn(Devices.cpu())), device, ScalarType.Byte));
    }

    /** What a tensor of bytes on a device is made with. */
    public static TensorOptions bytesOn(Device device) {
        return new TensorOptions()
                .dtype(new ScalarTypeOptional(ScalarType.Byte))
                .device(new DeviceOptional(device));
    }

    private static Tensor copy(Tensor tensor, Device device, ScalarType type) {
        return tensor.to(device, type, false, true, new MemoryFormatOptional());
    }

    /** A copy of the elements in row-major order, whatever the tensor's type, layout and device. */
    public static float[] floats(Tensor tensor) {
        return NativeScope.call(() -> {
            Tensor dense = dense(tensor);
            float[] values = new float[Math.toIntExact(dense.numel())];
            bytes(dense).asFloatBuffer().get(values);
            return values;
        });
    }

    /** The tensor itself or a copy, as floats in row-major order in main memory, without gradient. */
    public static Tensor dense(Tensor tensor) {
        return tensor.detach()
                .to(new Device(torch.DeviceType.CPU), ScalarType.Float)
                .contiguous();
    }

    /** The memory of a {@link #dense} tensor, valid as long as the tensor. */
    public static ByteBuffer bytes(Tensor dense) {
        if (dense.numel() == 0) {
            return ByteBuffer.allocate(0); // it has no memory
        }
        return new BytePointer(dense.data_ptr())
                .capacity(dense.nbytes())
                .asByteBuffer()
                .order(ByteOrder.LITTLE_ENDIAN);
    }
}
