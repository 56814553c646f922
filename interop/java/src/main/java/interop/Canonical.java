package interop;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * Objects as the JSON of {@code value_as_json} in the golden vectors: what a Java program sees, whatever the codec.
 *
 * <p>An object of a user class is an object with {@code $class} and its fields; what JSON has no form for is an object
 * with one member that starts with a dollar sign. Integers of all widths look alike. Other than ASCII is escaped.
 */
final class Canonical {
    private static final int LONGEST_TEXT = 2000;
    private static final Set<Class<?>> INTEGERS = Set.of(Byte.class, Short.class, Integer.class, Long.class);

    private final StringBuilder json = new StringBuilder();

    private Canonical() {
    }

    static String json(Object value) {
        Canonical canonical = new Canonical();
        canonical.value(value);
        return canonical.json.toString();
    }

    private void value(Object value) {
        if (value == null || value instanceof Boolean || INTEGERS.contains(value.getClass())) {
            json.append(value);
        } else if (value instanceof Double || value instanceof Float) {
            floating((Number) value);
        } else if (value instanceof BigDecimal decimal) {
            json.append("{\"$decimal\":{\"unscaled\":\"").append(decimal.unscaledValue());
            json.append("\",\"scale\":").append(decimal.scale()).append("}}");
        } else if (value instanceof BigInteger) {
            special("bigint", value);
        } else if (value instanceof String text) {
            text(text);
        } else if (value instanceof Character) {
            string(value.toString());
        } else if (value instanceof Enum<?> constant) {
            string(constant.name());
        } else if (value instanceof byte[] bytes) {
            special("bytes", HexFormat.of().formatHex(bytes));
        } else if (value.getClass().isArray()) {
            array(value);
        } else if (value instanceof Optional<?> optional) {
            json.append("{\"$optional\":");
            value(optional.orElse(null));
            json.append('}');
        } else if (value instanceof Map<?, ?> map) {
            map(map);
        } else if (value instanceof Collection<?> collection) {
            collection(collection);
        } else if (value.getClass().getName().startsWith("com.example.")) {
            object(value);
        } else {
            other(value);
        }
    }

    private void floating(Number value) {
        if (Double.isFinite(value.doubleValue())) {
            json.append(value);
        } else {
            special(value instanceof Double ? "double" : "float", value);
        }
    }

    private void text(String text) {
        if (text.length() <= LONGEST_TEXT) {
            string(text);
            return;
        }
        json.append("{\"$longstring\":{\"chars\":").append(text.length());
        json.append(",\"sha256_utf8\":\"").append(sha256(text)).append("\",\"head\":");
        string(text.substring(0, 16));
        json.append("}}");
    }

    private void array(Object array) {
        json.append('[');
        for (int i = 0; i < Array.getLength(array); i++) {
            separate(i == 0);
            value(Array.get(array, i));
        }
        json.append(']');
    }

    private void collection(Collection<?> collection) {
        List<String> elements = new ArrayList<>();
        for (Object element : collection) {
            elements.add(json(element));
        }
        // A set in no order of its own must look the same each time.
        if (collection instanceof Set && !(collection instanceof LinkedHashSet) && !(collection instanceof SortedSet)) {
            elements.sort(null);
        }
        json.append('[').append(String.join(",", elements)).append(']');
    }

    private void map(Map<?, ?> map) {
        boolean named = map.keySet().stream().allMatch(String.class::isInstance);
        json.append(named ? "{" : "{\"$map\":[");
        boolean first = true;
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            separate(first);
            first = false;
            if (named) {
                string((String) entry.getKey());
                json.append(':');
                value(entry.getValue());
            } else {
                array(new Object[]{entry.getKey(), entry.getValue()});
            }
        }
        json.append(named ? "}" : "]}");
    }

    private void object(Object object) {
        json.append("{\"$class\":");
        string(object.getClass().getName());
        members(object).forEach((name, member) -> {
            json.append(',');
            string(name);
            json.append(':');
            value(member);
        });
        json.append('}');
    }

    /** The fields that codecs write, those of super classes included. */
    private static Map<String, Object> members(Object object) {
        Map<String, Object> members = new TreeMap<>();
        for (Class<?> type = object.getClass(); type != Object.class; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if ((field.getModifiers() & (Modifier.STATIC | Modifier.TRANSIENT)) != 0) {
                    continue;
                }
                boolean hidden = members.containsKey(field.getName());
                String name = hidden ? type.getSimpleName() + "." + field.getName() : field.getName();
                try {
                    field.setAccessible(true);
                    members.put(name, field.get(object));
                } catch (IllegalAccessException e) {
                    throw new AssertionError(e);
                }
            }
        }
        return members;
    }

    private void other(Object value) {
        if (value instanceof Timestamp timestamp) {
            special("timestamp", timestamp.getTime() + "/" + timestamp.getNanos());
        } else if (value instanceof Date date) {
            json.append("{\"$date\":").append(date.getTime()).append('}');
        } else if (value instanceof Calendar calendar) {
            special("calendar", calendar.getTimeInMillis() + "/" + calendar.getTimeZone().getID());
        } else {
            special(value.getClass().getSimpleName(), value);
        }
    }

    private void special(String name, Object text) {
        json.append('{');
        string("$" + name);
        json.append(':');
        string(text.toString());
        json.append('}');
    }

    private void separate(boolean first) {
        if (!first) {
            json.append(',');
        }
    }

    private void string(String text) {
        json.append('"');
        for (char unit : text.toCharArray()) {
            switch (unit) {
                case '"' -> json.append("\\\"");
                case '\\' -> json.append("\\\\");
                case '\b' -> json.append("\\b");
                case '\f' -> json.append("\\f");
                case '\n' -> json.append("\\n");
                case '\r' -> json.append("\\r");
                case '\t' -> json.append("\\t");
                default -> {
                    if (unit < 0x20 || unit > 0x7e) {
                        json.append("\\u").append(HexFormat.of().toHexDigits(unit));
                    } else {
                        json.append(unit);
                    }
                }
            }
        }
        json.append('"');
    }

    private static String sha256(String text) {
        try {
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(utf8));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
