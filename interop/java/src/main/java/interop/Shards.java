package interop;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.zip.CRC32;

/** The shard of a key, as {@code Shards::shard_of} of the crate. {@code docs/sharded.md} shows these methods to users. */
final class Shards {
    private Shards() {}

    static String shardOf(byte[] key, Collection<String> names) {
        long high = crc32(key) << 32;
        return Collections.max(names, Comparator.comparingLong(
                name -> mix(high | crc32(name.getBytes(StandardCharsets.UTF_8)))));
    }

    static long crc32(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return crc.getValue();
    }

    static long mix(long x) {
        x = (x ^ x >>> 30) * 0xbf58476d1ce4e5b9L;
        x = (x ^ x >>> 27) * 0x94d049bb133111ebL;
        return x ^ x >>> 31;
    }
}
