package interop.named;

import com.example.orders.Address;
import com.example.orders.OrderEvent;
import com.example.orders.SimpleOrder;
import com.example.orders.Status;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The orders among the named values. */
final class Orders {
    private Orders() {
    }

    /** Every field is set, and one map value is null. */
    static OrderEvent event() {
        OrderEvent event = bareEvent();
        event.setOrderId("ORD-2024-0001");
        event.setTags(new ArrayList<>(List.of("vip", "gift", "\u00e9t\u00e9")));
        Map<String, String> attributes = new LinkedHashMap<>();
        attributes.put("channel", "web");
        attributes.put("coupon", "SUMMER");
        attributes.put("empty", "");
        attributes.put("none", null);
        event.setAttrs(attributes);
        event.setAddress(new Address("1 Main St", "Paris", null));
        event.setStatus(Status.PAID);
        event.setCreatedAt(Instant.ofEpochSecond(1700000000L, 123456789));
        event.setNullableInt(-7);
        event.setBlob(new byte[]{0, 1, (byte) 0x80, (byte) 0xff});
        event.setCounters(new long[]{0, -1, 1L << 40});
        return event;
    }

    /** Only the primitive fields are set. */
    static OrderEvent bareEvent() {
        OrderEvent event = new OrderEvent();
        event.setUserId(9007199254740993L);
        event.setQuantity(3);
        event.setPrice(19.99);
        event.setPaid(true);
        return event;
    }

    static SimpleOrder simple() {
        SimpleOrder order = new SimpleOrder();
        order.setOrderId("ORD-1");
        order.setUserId(42L);
        order.setQuantity(3);
        order.setPrice(19.99);
        order.setPaid(true);
        order.setCouponId(77L);
        order.setTags(new ArrayList<>(List.of("vip", "gift")));
        Map<String, String> attributes = new LinkedHashMap<>();
        attributes.put("channel", "web");
        attributes.put("lang", "fr");
        order.setAttrs(attributes);
        order.setAddress(new Address("1 Main St", "Paris", "75001"));
        order.setStatus(Status.PAID);
        return order;
    }

    /** The simple order without a coupon and with other containers. */
    static SimpleOrder variant(List<String> tags, Map<String, String> attributes) {
        SimpleOrder order = simple();
        order.setTags(tags);
        order.setAttrs(attributes);
        order.setCouponId(null);
        return order;
    }
}
