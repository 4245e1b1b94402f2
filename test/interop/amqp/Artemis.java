import java.io.File;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.AddressFullMessagePolicy;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.apache.activemq.artemis.spi.core.security.ActiveMQJAASSecurityManager;
import org.apache.activemq.artemis.core.security.Role;
import java.util.Set;

/**
 * An Artemis broker with AMQP and OpenWire on one port. Arguments: port, data folder, "open" or "secured" (users of login.config),
 * and for AMQP over TLS a port and the password of keys.p12 and trust.p12 in the folder.
 */
public final class Artemis {
    public static void main(String[] args) throws Exception {
        Configuration configuration = new ConfigurationImpl()
                .setPersistenceEnabled(true)
                .setSecurityEnabled(args[2].equals("secured"))
                .setJournalDirectory(args[1] + File.separator + "journal")
                .setBindingsDirectory(args[1] + File.separator + "bindings")
                .setLargeMessagesDirectory(args[1] + File.separator + "large")
                .setPagingDirectory(args[1] + File.separator + "paging")
                .setMaxDiskUsage(100)
                .addAcceptorConfiguration("all", "tcp://127.0.0.1:" + args[0] + "?protocols=AMQP,OPENWIRE");
        configuration.addAddressSetting("limited.#", new AddressSettings()
                .setMaxSizeBytes(1024 * 1024)
                .setAddressFullMessagePolicy(AddressFullMessagePolicy.BLOCK));
        EmbeddedActiveMQ broker = new EmbeddedActiveMQ();
        if (args[2].equals("secured")) {
            configuration.putSecurityRoles("#", Set.of(new Role("users", true, true, true, true, true, true, true, true, true, true, false, false)));
            broker.setSecurityManager(new ActiveMQJAASSecurityManager("passwords", "certificates"));
        }
        if (args.length > 3) {
            String stores = String.join(";",
                    "sslEnabled=true", "wantClientAuth=true",
                    "keyStoreType=PKCS12", "keyStorePath=" + args[1] + "/keys.p12", "keyStorePassword=" + args[4],
                    "trustStoreType=PKCS12", "trustStorePath=" + args[1] + "/trust.p12", "trustStorePassword=" + args[4]);
            configuration.addAcceptorConfiguration("secure",
                    "tcp://127.0.0.1:" + args[3] + "?protocols=AMQP;saslMechanisms=EXTERNAL,PLAIN;" + stores);
        }
        broker.setConfiguration(configuration);
        broker.start();
        System.out.println("ready");
    }
}
