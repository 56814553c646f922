package interop;

import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import org.redisson.api.queue.DequeMoveArgs;
import org.redisson.api.queue.DequeMoveDestination;

/**
 * One call of any method of an object of Redisson.
 *
 * <p>By reflection, because no version of Redisson has all of them, and because the tests know which there are.
 */
final class Call {
    private final Values values;
    private final Object object;
    private final Method method;
    private final Object[] arguments;

    private Call(Values values, Object object, Method method, Object[] arguments) {
        this.values = values;
        this.object = object;
        this.method = method;
        this.arguments = arguments;
    }

    /** Finds the method of {@code type} that takes what the tokens stand for. */
    static Call of(Values values, Class<?> type, Object object, String name, List<String> tokens) throws IOException {
        for (Method method : type.getMethods()) {
            if (method.getName().equals(name) && fit(tokens, method.getParameterTypes())) {
                Object[] arguments = new Object[tokens.size()];
                for (int i = 0; i < arguments.length; i++) {
                    arguments[i] = parse(values, tokens.get(i), method.getParameterTypes()[i]);
                }
                return new Call(values, object, method, arguments);
            }
        }
        return null;
    }

    /** What the method returned. */
    String reply() throws Exception {
        Object returned = run();
        if (method.getReturnType() == void.class) {
            return "ok";
        }
        if (method.getName().equals("drainTo")) {
            returned = arguments[0];
        }
        return returned == null ? "nil" : "ok " + print(returned);
    }

    /** How long the method took. */
    String time() throws Exception {
        long start = System.nanoTime();
        run();
        return "ok " + TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - start);
    }

    private Object run() throws Exception {
        try {
            return method.invoke(object, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    private static boolean fit(List<String> tokens, Class<?>[] types) {
        if (tokens.size() != types.length) {
            return false;
        }
        for (int i = 0; i < types.length; i++) {
            if (!fits(tokens.get(i), types[i])) {
                return false;
            }
        }
        return true;
    }

    private static boolean fits(String token, Class<?> type) {
        return switch (token.charAt(0)) {
            case '[' -> type == Collection.class;
            case '(' -> type.isArray();
            case ':' -> type == String.class;
            case '>' -> type == DequeMoveArgs.class;
            case '=', 'x', '@', '{' -> type == Object.class;
            default -> Character.isDigit(token.charAt(0)) ? fitsNumber(token, type) : type == TimeUnit.class;
        };
    }

    private static boolean fitsNumber(String token, Class<?> type) {
        if (token.endsWith("ms")) {
            return type == Duration.class;
        }
        return token.endsWith("unix") ? type == Instant.class : type == int.class || type == long.class;
    }

    private static Object parse(Values values, String token, Class<?> type) throws IOException {
        if (type == Object.class) {
            return values.parse(token);
        }
        if (type == Collection.class) {
            List<Object> list = new ArrayList<>();
            for (String item : items(token)) {
                list.add(values.parse(item));
            }
            return list;
        }
        if (type.isArray()) {
            List<String> items = items(token);
            Object array = Array.newInstance(type.getComponentType(), items.size());
            for (int i = 0; i < items.size(); i++) {
                Array.set(array, i, parse(values, items.get(i), type.getComponentType()));
            }
            return array;
        }
        if (type == String.class) {
            return token.substring(1);
        }
        if (type == DequeMoveArgs.class) {
            return move(token.substring(1).split(","));
        }
        if (type == Duration.class) {
            return Duration.ofMillis(Long.parseLong(token.substring(0, token.length() - "ms".length())));
        }
        if (type == Instant.class) {
            return Instant.ofEpochMilli(Long.parseLong(token.substring(0, token.length() - "unix".length())));
        }
        if (type == int.class) {
            return Integer.parseInt(token);
        }
        return type == long.class ? (Object) Long.parseLong(token) : TimeUnit.valueOf(token);
    }

    private static List<String> items(String token) {
        String inner = token.substring(1, token.length() - 1);
        return inner.isEmpty() ? List.of() : List.of(inner.split(","));
    }

    /** An end of this queue, an end of the other, and its name. */
    private static DequeMoveArgs move(String[] parts) {
        DequeMoveDestination from = parts[0].equals("first") ? DequeMoveArgs.pollFirst() : DequeMoveArgs.pollLast();
        return parts[1].equals("first") ? from.addFirstTo(parts[2]) : from.addLastTo(parts[2]);
    }

    private String print(Object returned) throws IOException {
        if (returned instanceof Boolean || returned instanceof Number) {
            return returned.toString();
        }
        if (returned instanceof Collection<?> all) {
            return printAll(all.iterator());
        }
        if (returned instanceof Object[] all) {
            return printAll(Arrays.asList(all).iterator());
        }
        return returned instanceof Iterator<?> all ? printAll(all) : values.print(returned);
    }

    private String printAll(Iterator<?> all) throws IOException {
        StringJoiner reply = new StringJoiner(",", "[", "]");
        while (all.hasNext()) {
            reply.add(print(all.next()));
        }
        return reply.toString();
    }
}
