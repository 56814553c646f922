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

    /** The value itself, which nobody may change. */
    public static Object named(String id) {
        Object value = ALL.get(id);
        if (value == null) {
            throw new IllegalArgumentException("no value is named " + id);
        }
        return value;
    }
}
