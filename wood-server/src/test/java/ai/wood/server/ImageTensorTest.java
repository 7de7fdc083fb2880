package ai.wood.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.wood.data.Image;
import ai.wood.data.Shape;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class ImageTensorTest {

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /** The shape has room for 400 MB of values. */
    @Test
    void aNumberDoesNotReserveAWholeImage() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        ImageTensor tensor = new ImageTensor(new Shape(3, 4096, 4096), 8);
        long before = threads.getCurrentThreadAllocatedBytes();
        tensor.value(1);
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(100_000);
    }

    @Test
    void imagesHaveTheValuesThatCame() {
        Shape shape = new Shape(3, 50, 31);
        ImageTensor tensor = new ImageTensor(shape, 2);
        List.of(2, 3, 50, 31).forEach(tensor::extent);
        tensor.type("UINT8");
        for (int i = 0; i < 2 * shape.length(); i++) {
            tensor.value(i % 251);
        }
        List<Image> images = tensor.images(NOTHING);
        assertThat(images).hasSize(2);
        for (int i = 0; i < shape.length(); i++) {
            int pixel = i % (50 * 31);
            int channel = i / (50 * 31);
            for (int n = 0; n < 2; n++) {
                assertThat(images.get(n).get(channel, pixel / 31, pixel % 31))
                        .isEqualTo((n * shape.length() + i) % 251);
            }
        }
        assertThatThrownBy(() -> tensor.value(0)).isInstanceOf(Problem.class);
    }
}
