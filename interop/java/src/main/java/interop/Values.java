package interop;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.redisson.client.codec.ByteArrayCodec;
import org.redisson.client.codec.Codec;
import org.redisson.client.codec.LongCodec;
import org.redisson.client.codec.StringCodec;
import org.redisson.codec.TypedJsonJacksonCodec;

/**
 * VALUE tokens to objects and back, through the queue's own codec.
 *
 * <p>The four codecs write text or the bytes themselves, so what the protocol prints is what Redisson stores.
 */
record Values(Codec codec) {

    static Values named(String name) {
        return new Values(switch (name) {
            case "string" -> StringCodec.INSTANCE;
            case "bytes" -> ByteArrayCodec.INSTANCE;
            case "long" -> LongCodec.INSTANCE;
            case "json" -> new TypedJsonJacksonCodec(Order.class);
            default -> throw new IllegalArgumentException("unknown codec: " + name);
        });
    }

    Object parse(String token) throws IOException {
        String body = token.substring(1);
        byte[] bytes = switch (token.charAt(0)) {
            case '=' -> body.getBytes(StandardCharsets.UTF_8);
            case 'x' -> HexFormat.of().parseHex(body);
            default -> throw new IllegalArgumentException("VALUE starts with neither = nor x: " + token);
        };
        Object value = codec.getValueDecoder().decode(Unpooled.wrappedBuffer(bytes), null);
        // A JSON null would be stored, and would look like an empty queue when it is taken.
        if (value == null) {
            throw new IllegalArgumentException("VALUE is null: " + token);
        }
        return value;
    }

    String print(Object value) throws IOException {
        ByteBuf encoded = codec.getValueEncoder().encode(value);
        try {
            byte[] bytes = new byte[encoded.readableBytes()];
            encoded.readBytes(bytes);
            return "x" + HexFormat.of().formatHex(bytes);
        } finally {
            encoded.release();
        }
    }
}
