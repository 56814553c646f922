package interop;

import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What {@code TypedJsonJacksonCodec} writes in two forms: UUIDs. */
public class Tracked {
    public UUID id;
    public List<UUID> stops;
    public Map<UUID, UUID> next;
    public String label;
}
