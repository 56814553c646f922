package interop;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SortedSet;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Objects as the JSON of {@code value_as_json} in the golden vectors: what a Java program sees, whatever the codec.
 *
 * <p>An object of a user class is an object with {@code $class} and its fields; what JSON has no form for is an object
 * with one member that starts with a dollar sign. Integers of all widths look alike. Other than ASCII is escaped.
 */
final class Canonical {
    private static final int LONGEST_TEXT = 2000;
    private static final Set<Class<?>> INTEGERS = Set.of(Byte.class, Short.class, Integer.class, Long.class);

    /** In the exact form, values of these classes stand without the name of their class. */
    private static final Set<Class<?>> BARE = Set.of(Boolean.class, Integer.class, String.class);

    private final StringBuilder json = new StringBuilder();
    private final boolean exact;

    private Canonical(boolean exact) {
        this.exact = exact;
    }

    static String json(Object value) {
        return new Canonical(false).print(value);
    }

    /**
     * The exact form: it shows the class of every value, the bits of floating numbers, and what has no order.
     *
     * <p>{@code exact.rs} prints the same of values in Rust.
     */
    static String exact(Object value) {
        return new Canonical(true).print(value);
    }

    private String print(Object value) {
        value(value);
        return json.toString();
    }

    private void value(Object value) {
        if (!exact || value == null || BARE.contains(value.getClass())) {
            content(value);
            return;
        }
        json.append('{');
        string(value instanceof Enum<?> constant ? constant.getDeclaringClass().getName() : value.getClass().getName());
        json.append(':');
        content(value);
        json.append('}');
    }

    private void content(Object value) {
        if (value == null || value instanceof Boolean || INTEGERS.contains(value.getClass())) {
            json.append(value);
        } else if (value instanceof Double || value instanceof Float) {
            floating((Number) value);
        } else if (exact && value instanceof BigDecimal decimal) {
            string(decimal.unscaledValue() + "/" + decimal.scale());
        } else if (exact && value instanceof BigInteger) {
            string(value.toString());
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
            json.append(exact ? "[" : "{\"$optional\":");
            value(optional.orElse(null));
            json.append(exact ? ']' : '}');
        } else if (exact && value instanceof OptionalInt optional) {
            array(optional.isPresent() ? new Object[]{optional.getAsInt()} : new Object[1]);
        } else if (exact && value instanceof OptionalLong optional) {
            array(optional.isPresent() ? new Object[]{optional.getAsLong()} : new Object[1]);
        } else if (exact && value instanceof OptionalDouble optional) {
            array(optional.isPresent() ? new Object[]{optional.getAsDouble()} : new Object[1]);
        } else if (exact && value.getClass().getPackageName().equals("java.util.concurrent.atomic")) {
            array(new Object[]{held(value)});
        } else if (value instanceof Map<?, ?> map) {
            map(map);
        } else if (value instanceof Collection<?> collection) {
            collection(collection);
        } else if (value.getClass().getName().startsWith("com.example.")
                || value.getClass().getName().startsWith("kotlin.")) {
            object(value);
        } else {
            other(value);
        }
    }

    private static Object held(Object atomic) {
        if (atomic instanceof AtomicInteger number) {
            return number.get();
        } else if (atomic instanceof AtomicLong number) {
            return number.get();
        } else if (atomic instanceof AtomicBoolean flag) {
            return flag.get();
        }
        return ((AtomicReference<?>) atomic).get();
    }

    private void floating(Number value) {
        if (exact) {
            boolean isDouble = value instanceof Double;
            string(isDouble ? Long.toHexString(Double.doubleToLongBits(value.doubleValue()))
                    : Integer.toHexString(Float.floatToIntBits(value.floatValue())));
        } else if (Double.isFinite(value.doubleValue())) {
            json.append(value);
        } else {
            special(value instanceof Double ? "double" : "float", value);
        }
    }

    private void text(String text) {
        if (exact || text.length() <= LONGEST_TEXT) {
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
            elements.add(new Canonical(exact).print(element));
        }
        if (exact) {
            elements(elements, isOrdered(collection));
            return;
        }
        // A set in no order of its own must look the same each time.
        if (collection instanceof Set && !(collection instanceof LinkedHashSet) && !(collection instanceof SortedSet)) {
            elements.sort(null);
        }
        json.append('[').append(String.join(",", elements)).append(']');
    }

    private void elements(List<String> elements, boolean ordered) {
        json.append(ordered ? "[" : "{\"$any\":[").append(String.join(",", elements)).append(ordered ? "]" : "]}");
    }

    /** True if a codec must keep the order: what sorts has an order of its own. */
    private static boolean isOrdered(Object container) {
        String name = container.getClass().getName();
        return !(container instanceof Set || container instanceof Map || container instanceof PriorityQueue)
                || name.contains("Linked") || name.contains("Enum");
    }

    private void map(Map<?, ?> map) {
        if (exact) {
            List<String> entries = new ArrayList<>();
            map.forEach((key, value) -> {
                Canonical entry = new Canonical(true);
                entry.array(new Object[]{key, value});
                entries.add(entry.json.toString());
            });
            elements(entries, isOrdered(map));
            return;
        }
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
        json.append('{');
        if (!exact) {
            string("$class");
            json.append(':');
            string(object.getClass().getName());
        }
        boolean[] first = {exact};
        members(object).forEach((name, member) -> {
            separate(first[0]);
            first[0] = false;
            string(name);
            json.append(':');
            value(member);
        });
        json.append('}');
    }

    /** The fields that codecs write, those of super classes included; of an exception also its text and its cause. */
    private Map<String, Object> members(Object object) {
        Map<String, Object> members = new TreeMap<>();
        boolean isThrown = exact && object instanceof Throwable;
        if (isThrown) {
            members.put("message", ((Throwable) object).getMessage());
            members.put("cause", ((Throwable) object).getCause());
        }
        for (Class<?> type = object.getClass(); type != Object.class; type = type.getSuperclass()) {
            if (isThrown && type.getName().startsWith("java.")) {
                break;
            }
            for (Field field : type.getDeclaredFields()) {
                if ((field.getModifiers() & (Modifier.STATIC | Modifier.TRANSIENT)) != 0) {
                    continue;
                }
                String name = field.getName();
                if (exact) {
                    while (members.containsKey(name)) {
                        name += "^";
                    }
                } else if (members.containsKey(name)) {
                    name = type.getSimpleName() + "." + name;
                }
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
        if (exact) {
            string(exactText(value));
        } else if (value instanceof Timestamp timestamp) {
            special("timestamp", timestamp.getTime() + "/" + timestamp.getNanos());
        } else if (value instanceof Date date) {
            json.append("{\"$date\":").append(date.getTime()).append('}');
        } else if (value instanceof Calendar calendar) {
            special("calendar", calendar.getTimeInMillis() + "/" + calendar.getTimeZone().getID());
        } else if (value instanceof TimeZone zone) {
            // Not its text, which counts the transitions that the time zone data of this JDK has.
            special(value.getClass().getSimpleName(), zone.getID());
        } else {
            special(value.getClass().getSimpleName(), value);
        }
    }

    private static String exactText(Object value) {
        if (value instanceof Date date) {
            return String.valueOf(date.getTime());
        } else if (value instanceof Instant instant) {
            return instant.getEpochSecond() + "/" + instant.getNano();
        } else if (value instanceof Duration duration) {
            return duration.getSeconds() + "/" + duration.getNano();
        } else if (value instanceof LocalDate date) {
            return date.getYear() + "/" + date.getMonthValue() + "/" + date.getDayOfMonth();
        } else if (value instanceof LocalTime time) {
            return time.getHour() + "/" + time.getMinute() + "/" + time.getSecond() + "/" + time.getNano();
        } else if (value instanceof LocalDateTime both) {
            return exactText(both.toLocalDate()) + "/" + exactText(both.toLocalTime());
        } else if (value instanceof OffsetDateTime there) {
            return exactText(there.toLocalDateTime()) + "/" + there.getOffset().getTotalSeconds();
        } else if (value instanceof ZonedDateTime there) {
            return exactText(there.toLocalDateTime()) + "/" + there.getZone();
        } else if (value instanceof YearMonth month) {
            return month.getYear() + "/" + month.getMonthValue();
        } else if (value instanceof Period period) {
            return period.getYears() + "/" + period.getMonths() + "/" + period.getDays();
        } else if (value instanceof ZoneOffset offset) {
            return String.valueOf(offset.getTotalSeconds());
        } else if (value instanceof Calendar calendar) {
            return calendar.getTimeInMillis() + "/" + calendar.getTimeZone().getID();
        } else if (value instanceof TimeZone zone) {
            return zone.getID();
        } else if (value instanceof Locale locale) {
            String tag = locale.toLanguageTag();
            return tag.equals("und") ? "" : tag;
        } else if (value instanceof InetSocketAddress address) {
            return address.getHostString() + ":" + address.getPort();
        } else if (value instanceof Class<?> type) {
            return type.getName();
        } else {
            return value.toString();
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
                        // Rust parses no half of a pair: in the exact form the escape itself is the text.
                        json.append(exact ? "\\\\u" : "\\u").append(HexFormat.of().toHexDigits(unit));
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
