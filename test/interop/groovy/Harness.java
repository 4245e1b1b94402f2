import groovy.lang.GroovyShell;
import groovy.lang.Binding;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.TimeZone;
import org.codehaus.groovy.control.CompilationFailedException;
import org.codehaus.groovy.runtime.FormatHelper;
import org.codehaus.groovy.runtime.InvokerInvocationException;

/**
 * Runs snippets in the real Groovy: one line of Base64 in, one line of four Base64 fields out: outcome, class, text and
 * printed output.
 */
public class Harness {
  public static void main(String[] args) throws Exception {
    Locale.setDefault(Locale.US);
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    PrintStream answers = new PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.out), true, "UTF-8");
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String source = new String(Base64.getDecoder().decode(line), StandardCharsets.UTF_8);
      java.io.ByteArrayOutputStream printed = new java.io.ByteArrayOutputStream();
      System.setOut(new PrintStream(printed, true, "UTF-8"));
      String[] outcome = evaluate(source);
      answers.println(
          field(outcome[0]) + " " + field(outcome[1]) + " " + field(outcome[2]) + " "
              + field(printed.toString(StandardCharsets.UTF_8)));
    }
  }

  private static String[] evaluate(String source) {
    String[][] result = new String[1][];
    // A deep recursion of a snippet needs the same room every time.
    Thread thread = new Thread(null, () -> result[0] = outcomeOf(source), "snippet", 16 << 20);
    thread.start();
    try {
      thread.join(20_000);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return result[0] == null ? new String[] {"hangs", "", ""} : result[0];
  }

  private static String[] outcomeOf(String source) {
    try {
      Object value = new GroovyShell(new Binding()).evaluate(source, "Snippet.groovy");
      return new String[] {"value", value == null ? "null" : value.getClass().getName(), FormatHelper.toString(value)};
    } catch (CompilationFailedException e) {
      return new String[] {"refused", e.getClass().getName(), String.valueOf(e.getMessage())};
    } catch (Throwable e) {
      Throwable cause = e instanceof InvokerInvocationException && e.getCause() != null ? e.getCause() : e;
      return new String[] {"throws", cause.getClass().getName(), String.valueOf(cause.getMessage())};
    }
  }

  private static String field(String text) {
    return text.isEmpty() ? "-" : Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }
}
