package interop.named;

import java.util.HashMap;
import java.util.Map;

/** Values by the ids that they have in {@code interop/vectors/payloads.jsonl}. */
public final class NamedValues {
    private static final Map<String, Object> ALL = new HashMap<>();

    static {
        Scalars.addTo(ALL);
        Times.addTo(ALL);
        Containers.addTo(ALL);
        Objects.addTo(ALL);
    }

    private NamedValues() {
    }

    /**
     * The value itself, which nobody may change.
     *
     * <p>{@code CLASS#N} is the Nth of what the method {@code values} of a generated class returns.
     */
    public static Object named(String id) {
        int number = id.indexOf('#');
        Object value = number < 0 ? ALL.get(id) : generated(id.substring(0, number))[Integer.parseInt(id.substring(number + 1))];
        if (value == null) {
            throw new IllegalArgumentException("no value is named " + id);
        }
        return value;
    }

    private static Object[] generated(String type) {
        try {
            return (Object[]) Class.forName(type).getMethod("values").invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
