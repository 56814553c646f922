package interop;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.HexFormat;
import org.redisson.client.codec.Codec;

/**
 * Measures one of Redisson's codecs with one value, by one command a line on stdin and one reply a line on stdout.
 *
 * <p>The commands are written down in {@code interop/README.md}. A JVM measures one codec and one value, so that its
 * compiler sees nothing else, as in a service with one queue.
 */
public final class BenchCodec {
    /** The compiler must not find out that nobody reads what is written here. */
    private static volatile Object seen;

    private final Codec codec;
    private ByteBuf payload;
    private Object value;

    private BenchCodec(Codec codec) {
        this.codec = codec;
    }

    public static void main(String[] args) throws Exception {
        Lines lines = new Lines();
        lines.serve(new BenchCodec(Codecs.make(args[0]))::reply);
        lines.end();
    }

    private String reply(String line) {
        try {
            String[] words = line.split(" ");
            return switch (words[0]) {
                case "value" -> value(HexFormat.of().parseHex(words[1]));
                case "write" -> measure(words[1], this::write);
                case "read" -> measure(words[1], this::read);
                default -> "err unsupported";
            };
        } catch (Exception e) {
            return Lines.error(e);
        }
    }

    /** Reads the value to measure, and replies how many bytes this side writes for it. */
    private String value(byte[] bytes) throws IOException {
        payload = Unpooled.wrappedBuffer(bytes);
        value = read();
        ByteBuf written = codec.getValueEncoder().encode(value);
        int length = written.readableBytes();
        written.release();
        return "ok " + length;
    }

    private Object read() throws IOException {
        payload.readerIndex(0);
        return codec.getValueDecoder().decode(payload, null);
    }

    private Object write() throws IOException {
        ByteBuf written = codec.getValueEncoder().encode(value);
        int length = written.readableBytes();
        written.release();
        return length;
    }

    private interface Action {
        Object run() throws IOException;
    }

    /** Runs for so many milliseconds, and replies how many nanoseconds the fastest tenth of it took for one call. */
    private static String measure(String millis, Action action) throws IOException {
        long end = System.nanoTime() + Long.parseLong(millis) * 1_000_000;
        int calls = 1;
        double best = Double.MAX_VALUE;
        long now = System.nanoTime();
        while (now < end) {
            long start = now;
            for (int i = 0; i < calls; i++) {
                seen = action.run();
            }
            now = System.nanoTime();
            best = Math.min(best, (double) (now - start) / calls);
            // Some ten thousand nanoseconds a turn: long beside the clock, short beside the scheduler's slices.
            if (now - start < 100_000) {
                calls *= 2;
            }
        }
        return String.format(java.util.Locale.ROOT, "ok %.1f", best);
    }
}
