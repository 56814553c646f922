package interop;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.redisson.client.codec.Codec;

/**
 * Redisson's codecs by the name of their class, with what they are made of in parentheses.
 *
 * <p>All by reflection, because no version of Redisson has all of them.
 */
final class Codecs {
    /** Registered in this order before Redisson 4.1.0, sorted by name since. */
    private static final Set<String> ALLOWED_CLASSES = new LinkedHashSet<>(List.of(
            "java.util.ArrayList",
            "java.util.LinkedHashMap",
            "com.example.orders.SimpleOrder",
            "com.example.orders.Status",
            "com.example.orders.Address"));

    private final Map<String, Codec> made = new HashMap<>();

    /** The same codec each time, until it is forgotten. */
    Codec named(String name) throws Exception {
        Codec codec = made.get(name);
        if (codec == null) {
            codec = make(name);
            made.put(name, codec);
        }
        return codec;
    }

    /** After a failed decode a codec with a pool, such as Kryo5Codec, may read and write other payloads wrong. */
    void forget(String name) {
        made.remove(name);
    }

    static Codec make(String name) throws Exception {
        int open = name.indexOf('(');
        if (open < 0) {
            return make(name, name, List.of());
        }
        if (!name.endsWith(")")) {
            throw noSuchCodec(name);
        }
        String codec = name.substring(0, open);
        String argument = name.substring(open + 1, name.length() - 1);
        return switch (codec) {
            case "JacksonCodec", "Jackson3Codec" -> wrapped(name, codec, Class.forName(argument));
            case "JsonJacksonCodec" -> make(name, codec, List.of(ObjectMapper.class), mapper(name, argument));
            case "Kryo5Codec" -> kryo5(name, argument);
            case "TypedJsonJacksonCodec", "TypedJsonJackson3Codec" ->
                    make(name, codec, List.of(Class.class), Class.forName(argument));
            default -> make(name, codec, List.of(Codec.class), make(argument));
        };
    }

    private static Codec make(String name, String codec, List<Class<?>> parameters, Object... arguments)
            throws Exception {
        return (Codec) construct(name, type(name, codec), parameters, arguments);
    }

    private static Codec kryo5(String name, String argument) throws Exception {
        Set<String> allowed = switch (argument) {
            case "allowed" -> ALLOWED_CLASSES;
            case "references" -> Set.of();
            default -> throw noSuchCodec(name);
        };
        boolean references = argument.equals("references");
        return make(name, "Kryo5Codec", List.of(Set.class, boolean.class), allowed, references);
    }

    private static ObjectMapper mapper(String name, String module) {
        if (!module.equals("JavaTimeModule")) {
            throw noSuchCodec(name);
        }
        return new ObjectMapper().registerModule(new JavaTimeModule());
    }

    /** A codec for RJsonBucket becomes one for queues in a wrapper. */
    private static Codec wrapped(String name, String codec, Class<?> type) throws Exception {
        Object inner = construct(name, type(name, codec), List.of(Class.class), type);
        Class<?> parameter = type(name, "JsonCodec");
        return make(name, "JsonCodecWrapper", List.of(parameter), inner);
    }

    private static Class<?> type(String name, String codec) {
        for (String place : List.of("org.redisson.codec.", "org.redisson.client.codec.")) {
            try {
                return Class.forName(place + codec);
            } catch (ClassNotFoundException e) {
                // Then in the other package, or nowhere.
            }
        }
        throw noSuchCodec(name);
    }

    private static Object construct(String name, Class<?> type, List<Class<?>> parameters, Object... arguments)
            throws Exception {
        try {
            Constructor<?> constructor = type.getConstructor(parameters.toArray(Class<?>[]::new));
            return constructor.newInstance(arguments);
        } catch (NoSuchMethodException e) {
            throw noSuchCodec(name);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    private static IllegalArgumentException noSuchCodec(String name) {
        return new IllegalArgumentException("no such codec: " + name);
    }
}
