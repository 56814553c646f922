package interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Properties;
import org.redisson.Redisson;

/** Commands on stdin and replies on stdout, one a line, and nothing else on stdout. */
final class Lines {
    private final PrintStream replies = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    /** To be made before anything that logs. */
    Lines() {
        // Whatever a library prints must not look like a reply.
        System.setOut(System.err);
        System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "warn");
    }

    /** Replies to what one line asks for. */
    interface Command {
        String reply(String line);
    }

    /** Returns at {@code exit} and at the end of stdin, which is how a program notices that its test is gone. */
    void serve(Command command) throws IOException {
        replies.println("ready " + version());
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = commands.readLine()) != null && !line.equals("exit");) {
            replies.println(command.reply(line));
        }
    }

    /** Confirms {@code exit}. */
    void end() {
        replies.println("ok");
        System.exit(0);
    }

    static String error(Throwable error) {
        return ("err " + error).replaceAll("\\s+", " ");
    }

    /** The version of the jar that runs, not the one that the build was asked for. */
    private static String version() throws IOException {
        Properties properties = new Properties();
        try (InputStream file = Redisson.class.getResourceAsStream(
                "/META-INF/maven/org.redisson/redisson/pom.properties")) {
            properties.load(file);
        }
        return properties.getProperty("version");
    }
}
