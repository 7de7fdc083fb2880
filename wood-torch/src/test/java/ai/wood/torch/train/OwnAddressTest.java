package ai.wood.torch.train;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OwnAddressTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "node0; 127.0.1.1; 127.0.0.1 10.0.0.4 192.168.1.7; 10.0.0.4",
                "node0; 127.0.1.1; ::1 fe80::1 2001:db8::5 10.0.0.4; 10.0.0.4",
                "node0; 127.0.1.1; 127.0.0.1 fe80::1 2001:db8::5; 2001:db8:0:0:0:0:0:5",
                "node0; 127.0.1.1; 127.0.0.1; 127.0.1.1",
                "node0; 192.168.1.7; 10.0.0.4 192.168.1.7; 192.168.1.7",
                "localhost; 127.0.0.1; 127.0.0.1 10.0.0.4; 127.0.0.1",
                "127.0.0.1; 127.0.0.1; 127.0.0.1 10.0.0.4; 127.0.0.1"
            })
    void aHostWhoseNameIsALoopbackAddressIsReachedAtItsFirstOther(
            String host, String towards, String all, String chosen) throws IOException {
        List<InetAddress> addresses = new ArrayList<>();
        for (String address : Arrays.asList(all.split(" ", -1))) {
            addresses.add(InetAddress.getByName(address));
        }
        assertThat(OwnAddress.choose(host, InetAddress.getByName(towards), addresses)
                        .getHostAddress())
                .isEqualTo(chosen);
    }

    @Test
    void aGivenAddressIsTaken() throws IOException {
        World world = new World(2, 0, "localhost", 1, Duration.ofSeconds(1), "192.0.2.9");
        assertThat(OwnAddress.of(world)).isEqualTo("192.0.2.9");
    }

    @Test
    void processesOfOneMachineMeetAtItsLoopbackAddress() throws IOException {
        World world = new World(2, 0, "127.0.0.1", 29500, Duration.ofSeconds(1));
        assertThat(OwnAddress.of(world)).isEqualTo("127.0.0.1");
    }
}
