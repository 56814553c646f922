package interop;

import interop.named.NamedValues;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.redisson.client.codec.Codec;

/**
 * VALUE tokens to objects and back, through a queue's own codec.
 *
 * <p>What the protocol prints is what Redisson stores.
 */
record Values(Codec codec) {

    static Values named(String name) throws Exception {
        return new Values(Codecs.make(switch (name) {
            case "string" -> "StringCodec";
            case "bytes" -> "ByteArrayCodec";
            case "long" -> "LongCodec";
            case "json" -> "TypedJsonJacksonCodec(interop.Order)";
            default -> name;
        }));
    }

    Object parse(String token) throws IOException {
        Object value = switch (token.charAt(0)) {
            case '@' -> NamedValues.named(token.substring(1));
            case '{' -> OrderText.parse(token);
            default -> decode(token);
        };
        // A JSON null would be stored, and would look like an empty queue when it is taken.
        if (value == null) {
            throw new IllegalArgumentException("VALUE is null: " + token);
        }
        return value;
    }

    /** The object, or null, that the codec reads from the bytes that a token holds. */
    Object decode(String token) throws IOException {
        return codec.getValueDecoder().decode(Unpooled.wrappedBuffer(bytes(token)), null);
    }

    /** The bytes that a token holds. */
    static byte[] bytes(String token) {
        String body = token.substring(1);
        return switch (token.charAt(0)) {
            case '=' -> body.getBytes(StandardCharsets.UTF_8);
            case 'x' -> HexFormat.of().parseHex(body);
            default -> throw new IllegalArgumentException("not a VALUE: " + token);
        };
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
