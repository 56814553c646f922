package interop;

import interop.named.NamedValues;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;

/**
 * Says what real Redisson's codecs make of payloads and values, and what its classes offer. It needs no Redis.
 *
 * <p>The protocol is written down in {@code interop/README.md}.
 */
public final class Oracle {
    private final Codecs codecs = new Codecs();

    private Oracle() {
    }

    public static void main(String[] args) throws IOException {
        Lines lines = new Lines();
        lines.serve(new Oracle()::reply);
        lines.end();
    }

    private String reply(String line) {
        String[] tokens = line.split(" ", -1);
        if (tokens.length != 3) {
            return "err usage: decode CODEC xHEX, exact CODEC VALUE, encode CODEC ID, compile DIRECTORY SOURCES, or "
                    + "methods of CLASS";
        }
        try {
            return switch (tokens[0]) {
                case "decode" -> decode(new Values(codecs.named(tokens[1])), tokens[2]);
                case "encode" -> "ok " + new Values(codecs.named(tokens[1])).print(NamedValues.named(tokens[2]));
                case "exact" -> "ok " + Canonical.exact(new Values(codecs.named(tokens[1])).parse(tokens[2]));
                case "compile" -> compile(tokens[1], tokens[2]);
                case "methods" -> "ok " + methods(tokens[2]);
                default -> "err unknown command: " + tokens[0];
            };
        } catch (Throwable e) {
            // A payload can make a decoder throw errors too: InstantiationError, StackOverflowError, OutOfMemoryError.
            codecs.forget(tokens[1]);
            return Lines.error(root(e));
        }
    }

    private static String decode(Values values, String payload) throws IOException {
        Object value = values.decode(payload);
        String json = Canonical.json(value);
        String type = value == null ? "null" : value.getClass().getName();
        return "ok " + type + " " + values.print(value) + " " + json;
    }

    /** Compiles all sources of a directory into another one, which is on the class path. */
    private static String compile(String directory, String sources) {
        List<String> arguments = new ArrayList<>(List.of(
                "-nowarn", "-Xlint:none", "-proc:none", "-parameters", "-encoding", "UTF-8", "-d", directory));
        for (File source : new File(sources).listFiles()) {
            arguments.add(source.getPath());
        }
        ByteArrayOutputStream faults = new ByteArrayOutputStream();
        int status = ToolProvider.getSystemJavaCompiler().run(null, faults, faults, arguments.toArray(String[]::new));
        return status == 0 ? "ok" : Lines.error(new IllegalArgumentException(faults.toString(StandardCharsets.UTF_8)));
    }

    /** The names of the methods that a caller of the class has, but for the asynchronous twins. */
    private static String methods(String name) throws ClassNotFoundException {
        return Arrays.stream(Class.forName(name).getMethods())
                .map(Method::getName)
                .filter(method -> !method.endsWith("Async"))
                .distinct()
                .sorted()
                .collect(Collectors.joining(" "));
    }

    private static Throwable root(Throwable error) {
        return error.getCause() == null ? error : root(error.getCause());
    }
}
