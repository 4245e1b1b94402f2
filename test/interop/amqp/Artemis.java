import java.io.File;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.AddressFullMessagePolicy;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.apache.activemq.artemis.spi.core.security.ActiveMQJAASSecurityManager;
import org.apache.activemq.artemis.spi.core.security.jaas.InVMLoginModule;
import org.apache.activemq.artemis.core.config.impl.SecurityConfiguration;
import org.apache.activemq.artemis.core.security.Role;
import java.util.Set;

/** An Artemis broker with AMQP and OpenWire on one port. Arguments: port, data folder, user and password ("-" for none). */
public final class Artemis {
    public static void main(String[] args) throws Exception {
        Configuration configuration = new ConfigurationImpl()
                .setPersistenceEnabled(true)
                .setSecurityEnabled(!args[2].equals("-"))
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
        if (!args[2].equals("-")) {
            SecurityConfiguration users = new SecurityConfiguration();
            users.addUser(args[2], args[3]);
            users.addRole(args[2], "users");
            configuration.putSecurityRoles("#", Set.of(new Role("users", true, true, true, true, true, true, true, true, true, true, false, false)));
            broker.setSecurityManager(new ActiveMQJAASSecurityManager(InVMLoginModule.class.getName(), users));
        }
        broker.setConfiguration(configuration);
        broker.start();
        System.out.println("ready");
    }
}
