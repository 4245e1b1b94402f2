import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import javax.jms.Connection;
import javax.jms.ConnectionFactory;
import javax.jms.DeliveryMode;
import javax.jms.Destination;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.Session;
import javax.jms.TextMessage;
import javax.jms.Topic;
import javax.naming.Context;
import javax.naming.InitialContext;
import java.util.Hashtable;

/**
 * Prints each message of a destination as a line: class, delivery mode, JMSCorrelationID, redelivered or not, and the
 * text in base64. Arguments: initial context factory, then properties as name=value; the JNDI names are "factory" and
 * "destination". A system property "durable" names a durable subscription;
 * with "patient" it waits for each message without limit, since a limit drains the credit of an AMQP link.
 */
public final class Consumer {
    public static void main(String[] args) throws Exception {
        Hashtable<String, String> environment = new Hashtable<>();
        environment.put(Context.INITIAL_CONTEXT_FACTORY, args[0]);
        for (int i = 1; i < args.length; i++) {
            int equals = args[i].indexOf('=');
            environment.put(args[i].substring(0, equals), args[i].substring(equals + 1));
        }
        Context context = new InitialContext(environment);
        ConnectionFactory factory = (ConnectionFactory) context.lookup("factory");
        Destination destination = (Destination) context.lookup("destination");
        String durable = System.getProperty("durable");
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        Connection connection = factory.createConnection();
        if (durable != null) {
            connection.setClientID(durable);
        }
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        MessageConsumer consumer = durable == null
                ? session.createConsumer(destination)
                : session.createDurableSubscriber((Topic) destination, durable);
        connection.start();
        out.println("ready");
        out.flush();
        long pause = Boolean.getBoolean("patient") ? 0 : 20;
        for (;;) {
            Message message = consumer.receive(pause);
            if (message == null) {
                out.flush();
                continue;
            }
            boolean isText = message instanceof TextMessage;
            String text = isText ? ((TextMessage) message).getText() : "";
            out.println(String.join(" ",
                    isText ? "TextMessage" : message.getClass().getName(),
                    message.getJMSDeliveryMode() == DeliveryMode.PERSISTENT ? "PERSISTENT" : "NON_PERSISTENT",
                    String.valueOf(message.getJMSCorrelationID()),
                    String.valueOf(message.getJMSRedelivered()),
                    Base64.getEncoder().encodeToString(unitsOf(text))));
            if (pause == 0) {
                out.flush();
            }
        }
    }

    /** An encoder of Java would replace surrogates without their other half. */
    private static byte[] unitsOf(String text) {
        byte[] bytes = new byte[2 * text.length()];
        for (int i = 0; i < text.length(); i++) {
            bytes[2 * i] = (byte) (text.charAt(i) >> 8);
            bytes[2 * i + 1] = (byte) text.charAt(i);
        }
        return bytes;
    }
}
