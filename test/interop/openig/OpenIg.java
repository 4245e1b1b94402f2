import java.io.File;
import org.apache.catalina.Context;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.forgerock.http.routing.Router;
import org.forgerock.http.servlet.HttpFrameworkServlet;
import org.forgerock.openig.config.Environment;
import org.forgerock.openig.http.EndpointRegistry;
import org.forgerock.openig.http.GatewayEnvironment;
import org.forgerock.openig.http.GatewayHttpApplication;
import org.forgerock.openig.http.RunMode;
import org.forgerock.openig.util.JsonValues;

/**
 * OpenIG in an embedded Tomcat on loopback, without its administration endpoints. Arguments: port, folder for files of Tomcat. The
 * instance is named by the system property openig.base.
 */
public final class OpenIg {
    public static void main(String[] args) {
        try {
            run(Integer.parseInt(args[0]), args[1]);
        } catch (Throwable failure) {
            // Threads that were started keep the process otherwise.
            failure.printStackTrace();
            System.exit(1);
        }
    }

    private static void run(int port, String folder) throws Exception {
        Environment environment = new GatewayEnvironment();
        File config = new File(environment.getConfigDirectory(), "config.json");
        GatewayHttpApplication gateway = new GatewayHttpApplication(
                environment,
                JsonValues.readJson(config.toURI().toURL()),
                new EndpointRegistry(new Router(), ""),
                RunMode.PRODUCTION);

        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(folder);
        Connector connector = new Connector();
        connector.setPort(port);
        connector.setProperty("address", "127.0.0.1");
        // A connection is not closed after 100 requests: the load of a benchmark keeps its connections.
        connector.setProperty("maxKeepAliveRequests", "-1");
        tomcat.setConnector(connector);
        Context context = tomcat.addContext("", folder);
        Wrapper servlet = Tomcat.addServlet(context, "Gateway", new HttpFrameworkServlet(gateway));
        servlet.setLoadOnStartup(1);
        servlet.setAsyncSupported(true);
        context.addServletMappingDecoded("/*", "Gateway");
        tomcat.start();
        // Tomcat logs this, and goes on.
        if (!context.getState().isAvailable()) throw new IllegalStateException("the gateway did not start");
        tomcat.getServer().await();
    }
}
