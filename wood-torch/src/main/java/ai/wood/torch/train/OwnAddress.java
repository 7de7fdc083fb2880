package ai.wood.torch.train;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The address of this machine at which the other processes of a training reach it. */
final class OwnAddress {

    private OwnAddress() {}

    static String of(World world) throws IOException {
        if (!world.address().isEmpty()) {
            return InetAddress.getByName(world.address()).getHostAddress();
        }
        List<InetAddress> all = NetworkInterface.networkInterfaces()
                .filter(OwnAddress::isUp)
                .flatMap(NetworkInterface::inetAddresses)
                .toList();
        return choose(world.host(), towards(world), all).getHostAddress();
    }

    /** The address that the system uses on the way to rank 0. Connecting a datagram socket sends nothing. */
    private static InetAddress towards(World world) throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(InetAddress.getByName(world.host()), world.port());
            return socket.getLocalAddress();
        }
    }

    /**
     * Chooses an address. Many systems resolve their own host name to 127.0.1.1, so rank 0 finds a loopback address on
     * the way to itself, where no other machine reaches it.
     *
     * @param host where rank 0 listens, as the user wrote it; a loopback host means that all processes are on this machine
     * @param towards the address on the way to rank 0
     * @param all the addresses of this machine's interfaces
     */
    static InetAddress choose(String host, InetAddress towards, List<InetAddress> all) {
        boolean local = host.equals("localhost") || host.startsWith("127.") || host.equals("::1");
        return local || !towards.isLoopbackAddress()
                ? towards
                : reachable(all).findFirst().orElse(towards);
    }

    /** The addresses that another machine may reach, IPv4 first. */
    private static Stream<InetAddress> reachable(List<InetAddress> all) {
        return all.stream()
                .filter(address -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
                .sorted(Comparator.comparing(address -> !(address instanceof Inet4Address)));
    }

    private static boolean isUp(NetworkInterface network) {
        try {
            return network.isUp();
        } catch (IOException e) {
            return false; // it disappeared in the meantime
        }
    }
}
