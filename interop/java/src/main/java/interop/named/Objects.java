package interop.named;

import com.example.orders.Address;
import com.example.orders.Box;
import com.example.orders.BoxHolder;
import com.example.orders.Deep;
import com.example.orders.Finale;
import com.example.orders.FinaleHolder;
import com.example.orders.Holder;
import com.example.orders.Node;
import com.example.orders.NonSerializable;
import com.example.orders.Note;
import com.example.orders.OrderPlaced;
import com.example.orders.OrderRecord;
import com.example.orders.Outer;
import com.example.orders.PaymentEvent;
import com.example.orders.Shadow;
import com.example.orders.Status;
import com.example.orders.StringBox;
import com.example.orders.Заказ;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Objects of user classes, alone and in containers. */
final class Objects {
    private Objects() {
    }

    static void addTo(Map<String, Object> values) {
        values.put("list.pojo", new ArrayList<>(List.of(new Address("s1", "c1", "z1"), new Address("s2", "c2", "z2"))));
        values.put("list.poly", new ArrayList<>(List.of(
                new Address("s1", "c1", "z1"), new PaymentEvent("e", 1, "2", 3), new Address("s2", "c2", "z2"))));
        values.put("list.finals", new ArrayList<>(List.of(new Finale(), new Finale())));
        values.put("map.pojo", new LinkedHashMap<>(Map.of("k", new Address("s", "c", "z"))));
        values.put("arr.Address", new Address[]{new Address("s", "c", "z"), null});
        values.put("pojo.simple", Orders.simple());
        values.put("pojo.order", Orders.event());
        values.put("pojo.order.nulls", Orders.bareEvent());
        values.put("pojo.address", new Address("1 Main St", "Paris", null));
        values.put("pojo.inherit", new PaymentEvent("ev-1", 2, "9.99", 4));
        values.put("record", new OrderRecord("R1", 9007199254740993L, 2, 3.5, true, new ArrayList<>(List.of("t", "u")),
                new Address("rs", "rc", null), Status.SHIPPED, 5));
        values.put("record.nulls", new OrderRecord(null, 1, 2, 3.5, false, null, null, null, null));
        values.put("pojo.holder", Nests.holder());
        values.put("pojo.holder.nulls", new Holder());
        values.put("pojo.shadow", new Shadow());
        values.put("pojo.box.str", new Box<>("v", "l"));
        values.put("pojo.box.addr", new Box<>(new Address("s", "c", "z"), "l"));
        values.put("pojo.boxholder", boxes());
        values.put("pojo.node.shared", shared());
        values.put("pojo.final", new Finale());
        values.put("pojo.finalholder", finales());
        values.put("pojo.inner", new Outer.Inner());
        values.put("pojo.cyrillic", new Заказ());
        values.put("pojo.notserializable", new NonSerializable());
        values.put("pojo.order.list", new ArrayList<>(List.of(Orders.event(), Orders.bareEvent())));
        values.put("pojo.deep", Nests.deep());
        values.put("pojo.deep.nulls", new Deep());
        values.put("pojo.stringbox", new StringBox("v", "l", 7));
        values.put("pojo.orderplaced", placed());
        values.put("pojo.note", note());
        values.put("list.tags", Nests.tags());
        values.put("pojo.simple.immutable", Orders.variant(List.of("a", "b"), Map.of("k", "v")));
        values.put("pojo.simple.immutable3", Orders.variant(List.of("a", "b", "c"), Map.of()));
        values.put("pojo.simple.aslist", Orders.variant(Arrays.asList("a", null), Collections.singletonMap("k", "v")));
        values.put("pojo.simple.emptyColl", Orders.variant(Collections.emptyList(), Collections.emptyMap()));
        values.put("pojo.simple.unmodifiable", Orders.variant(
                Collections.unmodifiableList(new ArrayList<>(List.of("a"))), new TreeMap<>(Map.of("k", "v"))));
    }

    private static BoxHolder boxes() {
        BoxHolder holder = new BoxHolder();
        holder.strings = new Box<>("v", "l");
        holder.address = new Box<>(new Address("s", "c", "z"), "m");
        holder.wild = new Box<>(5, "w");
        return holder;
    }

    /** The same object twice. */
    private static Node shared() {
        Node child = new Node("child", null, null);
        return new Node("root", child, child);
    }

    private static FinaleHolder finales() {
        FinaleHolder holder = new FinaleHolder();
        holder.one = new Finale();
        holder.many = new ArrayList<>(List.of(new Finale(), new Finale()));
        holder.asObject = new Finale();
        return holder;
    }

    private static OrderPlaced placed() {
        OrderPlaced placed = new OrderPlaced();
        placed.setId("op1");
        placed.setPayload(new Address("s", "c", "z"));
        placed.setAll(new ArrayList<>(List.of(new Address("s2", "c2", "z2"))));
        return placed;
    }

    private static Note note() {
        Note note = new Note();
        note.setId("n1");
        note.setPayload("text");
        note.setAll(new ArrayList<>(List.of("a", "b")));
        return note;
    }
}
