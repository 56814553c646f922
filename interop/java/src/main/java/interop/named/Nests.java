package interop.named;

import com.example.orders.Address;
import com.example.orders.Box;
import com.example.orders.Deep;
import com.example.orders.Holder;
import com.example.orders.OrderRecord;
import com.example.orders.PaymentEvent;
import com.example.orders.Priority;
import com.example.orders.Status;
import com.example.orders.StringBox;
import com.example.orders.Tags;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/** Objects that hold containers of containers, and the one list of a user class. */
final class Nests {
    private Nests() {
    }

    static Holder holder() {
        Holder holder = new Holder();
        holder.any = "a string in an Object field";
        holder.number = 5L;
        holder.event = new PaymentEvent("ev-1", 2, "9.99", 4);
        holder.addresses = listOf(new Address("s1", "c1", "z1"), new Address("s2", null, "z2"));
        holder.ints = listOf(1, -1, 300);
        holder.nested = listOf(listOf("a", "b"), new ArrayList<>());
        holder.wild = listOf("w", 1);
        holder.raw = listOf("r", "s");
        holder.bounded = listOf(1, 2);
        holder.statuses = new LinkedHashSet<>(List.of(Status.NEW, Status.SHIPPED));
        holder.props = new LinkedHashMap<>();
        holder.props.put("s", "v");
        holder.props.put("i", 1);
        holder.props.put("l", 2L);
        holder.props.put("n", null);
        holder.props.put("list", listOf("x"));
        holder.props.put("addr", new Address("p", "q", "r"));
        holder.byId = mapOf(5L, new Address("b", "y", "id"));
        holder.multi = mapOf("k", listOf(1L, 2L));
        holder.counts = mapOf(Status.PAID, 7);
        holder.boxedBool = true;
        holder.boxedLong = 8L;
        holder.boxedDouble = 2.5;
        holder.boxedChar = 'x';
        holder.boxedByte = 9;
        holder.boxedShort = 10;
        holder.boxedFloat = 1.25f;
        holder.ch = 'y';
        holder.by = -2;
        holder.sh = -300;
        holder.fl = 0.5f;
        holder.amount = new BigDecimal("123.4500");
        holder.date = new Date(1700000000123L);
        holder.uuid = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
        holder.priority = Priority.HIGH;
        holder.ints2 = new int[]{1, -1, 1000};
        holder.names = new String[]{"n1", null, "\u00fc"};
        holder.addrArray = new Address[]{new Address("aa", "bb", "cc"), null};
        holder.objArray = new Object[]{"o", 1, null};
        holder.statusArray = new Status[]{Status.NEW, Status.PAID};
        holder.record = new OrderRecord("R1", 1, 2, 3.5, false, listOf("t"), new Address("rs", "rc", "rz"),
                Status.NEW, null);
        holder.opt = Optional.of("present");
        return holder;
    }

    static Deep deep() {
        Deep deep = new Deep();
        deep.mapOfMaps = mapOf("a", mapOf("b", "c"));
        deep.mapOfLists = mapOf("a", listOf("x", "y"));
        deep.listOfMaps = listOf(mapOf("k", 5L), mapOf("k2", null));
        deep.statuses = listOf(Status.NEW, null, Status.PAID);
        deep.priorities = listOf(Priority.LOW, Priority.HIGH);
        deep.records = listOf(new OrderRecord("r", 1, 2, 3.5, true, listOf("t"), null, Status.PAID, 4));
        deep.sets = mapOf("s", new LinkedHashSet<>(listOf(1, 2)));
        deep.blobs = listOf(new byte[]{1}, new byte[]{2, 3});
        deep.stringArrays = listOf(new String[]{"p"}, new String[]{"q", null});
        deep.cube = listOf(listOf(listOf(1, 2), listOf()), listOf());
        deep.listKeys = mapOf(listOf("lk"), "lv");
        deep.optList = Optional.of(listOf("o"));
        deep.opts = listOf(Optional.of("p"), Optional.empty());
        deep.boxes = listOf(new Box<>("bv", "bl"), new Box<>(null, "bn"));
        deep.boxMap = mapOf("bm", new Box<>(7L, "l7"));
        deep.boxOfList = new Box<>(listOf("in"), "lb");
        deep.sbox = new StringBox("sv", "sl", 9);
        deep.concrete = listOf("c1");
        deep.concreteMap = new HashMap<>(Map.of("cm", 1));
        deep.obj = listOf("a", "b");
        deep.iter = listOf("it");
        deep.tree = new TreeMap<>(Map.of("t", 1));
        deep.tags = tags();
        deep.objects = listOf("s", 1, 2L, null);
        deep.anyMap = mapOf("k", listOf(1));
        deep.order = Orders.simple();
        deep.orders = listOf(Orders.simple(), Orders.simple());
        return deep;
    }

    static Tags tags() {
        Tags tags = new Tags();
        tags.add("t1");
        tags.add("t2");
        return tags;
    }

    @SafeVarargs
    private static <T> ArrayList<T> listOf(T... elements) {
        return new ArrayList<>(Arrays.asList(elements));
    }

    private static <K, V> Map<K, V> mapOf(K key, V value) {
        Map<K, V> map = new LinkedHashMap<>();
        map.put(key, value);
        return map;
    }
}
