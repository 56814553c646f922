package interop;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.stream.Stream;
import org.redisson.config.BaseConfig;
import org.redisson.config.BaseMasterSlaveServersConfig;
import org.redisson.config.Config;

/**
 * What a peer is started with: a URL as the Rust client has it, and options.
 *
 * <p>{@code interop/README.md} lists both.
 */
@SuppressWarnings("deprecation") // since 4.0 some settings belong to Config, which older versions do not have
final class Settings {
    /** Half a second, so that a failover is soon seen. */
    private static final int SCAN_MILLIS = 500;

    private final String kind;
    /** With the scheme of one server each. */
    private final String[] addresses;
    /** Null if there is none. */
    private final String password;
    /** The name of the master with Sentinels, and of one server the number of the database. */
    private final String path;
    private String sentinelPassword;
    private Path ca;
    private String prefix;

    /** Reads {@code URL [--ca FILE] [--sentinel-password PASSWORD] [--prefix PREFIX]}. */
    Settings(String[] arguments) {
        String[] parts = arguments[0].split("://", 2);
        String[] schemes = parts[0].split("\\+", 2);
        kind = schemes.length == 1 ? "single" : schemes[1];
        String[] place = parts[1].split("/", 2);
        path = place.length == 1 ? "" : place[1];
        int at = place[0].lastIndexOf('@');
        password = at < 0 ? null : place[0].substring(place[0].indexOf(':') + 1, at);
        addresses = Stream.of(place[0].substring(at + 1).split(","))
                .map(address -> schemes[0] + "://" + address)
                .toArray(String[]::new);
        for (int i = 1; i < arguments.length; i += 2) {
            switch (arguments[i]) {
                case "--ca" -> ca = Path.of(arguments[i + 1]);
                case "--prefix" -> prefix = arguments[i + 1];
                case "--sentinel-password" -> sentinelPassword = arguments[i + 1];
                default -> throw new IllegalArgumentException("no such option: " + arguments[i]);
            }
        }
    }

    /** Few threads and connections, because scenarios start several peers on one small machine. */
    Config config() throws IOException, GeneralSecurityException {
        Config config = new Config();
        config.setThreads(2);
        config.setNettyThreads(2);
        BaseConfig<?> servers = switch (kind) {
            case "single" -> config.useSingleServer()
                    .setAddress(addresses[0])
                    .setDatabase(path.isEmpty() ? 0 : Integer.parseInt(path))
                    .setConnectionPoolSize(8)
                    .setConnectionMinimumIdleSize(1);
            case "cluster" -> small(config.useClusterServers()
                    .setScanInterval(SCAN_MILLIS)
                    .addNodeAddress(addresses));
            case "sentinel" -> small(config.useSentinelServers()
                    .setMasterName(path)
                    .setScanInterval(SCAN_MILLIS)
                    .setSentinelPassword(sentinelPassword)
                    .addSentinelAddress(addresses));
            default -> throw new IllegalArgumentException("no such kind of topology: " + kind);
        };
        // Before 3.23.0 this decides whether messages are handled in order, by mistake (Redisson's #5123). Out of
        // order, the time of an earlier head is overruled by that of the head before it.
        servers.setKeepAlive(true);
        servers.setPassword(password);
        if (prefix != null) {
            NamePrefix.set(servers, prefix);
        }
        if (ca != null) {
            servers.setSslTruststore(trustStore(ca)).setSslTruststorePassword("");
        }
        return config;
    }

    /** Everything but the address as it is without settings, as most services have it. */
    Config addressAlone() {
        Config config = new Config();
        switch (kind) {
            case "single" -> config.useSingleServer().setAddress(addresses[0]);
            case "cluster" -> config.useClusterServers().addNodeAddress(addresses);
            default -> throw new IllegalArgumentException("no such kind of topology: " + kind);
        }
        return config;
    }

    private static BaseMasterSlaveServersConfig<?> small(BaseMasterSlaveServersConfig<?> servers) {
        return servers.setMasterConnectionPoolSize(8)
                .setMasterConnectionMinimumIdleSize(1)
                .setSlaveConnectionPoolSize(8)
                .setSlaveConnectionMinimumIdleSize(1);
    }

    /** Redisson reads no PEM: a store with this certificate, in a new file beside it. */
    private static URL trustStore(Path ca) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        try (InputStream pem = Files.newInputStream(ca)) {
            store.setCertificateEntry("ca", CertificateFactory.getInstance("X.509").generateCertificate(pem));
        }
        Path file = Files.createTempFile(ca.getParent(), "ca", ".p12");
        try (OutputStream out = Files.newOutputStream(file)) {
            store.store(out, new char[0]);
        }
        return file.toUri().toURL();
    }
}
