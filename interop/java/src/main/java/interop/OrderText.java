package interop;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import java.io.IOException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.function.Function;

/** Reads an order of {@code com.example.orders} from its canonical JSON, see {@link Canonical}. */
final class OrderText {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .visibility(PropertyAccessor.ALL, Visibility.NONE)
            .visibility(PropertyAccessor.FIELD, Visibility.ANY)
            // The $class of nested objects, whose classes are those of their fields.
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .addModule(new SimpleModule()
                    .addDeserializer(byte[].class, special("$bytes", HexFormat.of()::parseHex))
                    .addDeserializer(Instant.class, special("$Instant", Instant::parse)))
            .build();

    private OrderText() {
    }

    static Object parse(String json) throws JsonProcessingException {
        JsonNode order = MAPPER.readTree(json);
        String name = order.path("$class").asText();
        try {
            return MAPPER.treeToValue(order, Class.forName(name));
        } catch (ClassNotFoundException e) {
            throw new IllegalArgumentException("no class is named " + name, e);
        }
    }

    /** For an object with one member, a text. */
    private static <T> JsonDeserializer<T> special(String member, Function<String, T> parse) {
        return new JsonDeserializer<>() {
            @Override
            public T deserialize(JsonParser parser, DeserializationContext context) throws IOException {
                JsonNode object = parser.readValueAsTree();
                return parse.apply(object.path(member).asText());
            }
        };
    }
}
