package interop.named;

import com.example.orders.Status;
import java.math.BigDecimal;
import java.util.AbstractMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Date;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/** Lists, maps, sets and arrays of everything but objects. */
final class Containers {
    private Containers() {
    }

    static void addTo(Map<String, Object> values) {
        values.put("list.arraylist.str", new ArrayList<>(List.of("a", "bb", "\u4e16")));
        values.put("list.arraylist.empty", new ArrayList<>());
        values.put("list.aslist.str", Arrays.asList("a", "bb"));
        values.put("list.of2.str", List.of("a", "bb"));
        values.put("list.of0", List.of());
        values.put("list.of1", List.of("a"));
        values.put("list.of3", List.of("a", "b", "c"));
        values.put("list.ints", new ArrayList<>(List.of(1, -1, 300)));
        values.put("list.longs", new ArrayList<>(List.of(1L, -1L, 1L << 40)));
        values.put("list.mixed", mixed());
        values.put("list.withnull", new ArrayList<>(Arrays.asList("a", null, "b")));
        values.put("list.onlynull", new ArrayList<>(Arrays.asList(null, null)));
        values.put("list.ints.withnull", new ArrayList<>(Arrays.asList(1, null)));
        values.put("list.mixed.null", new ArrayList<>(Arrays.asList(1, null, "x")));
        values.put("list.doubles", new ArrayList<>(List.of(1.5, 2.0)));
        values.put("list.nested",
                new ArrayList<>(List.of(new ArrayList<>(List.of("a")), new ArrayList<>(List.of(1, 2)))));
        values.put("list.70", numbers(70));
        values.put("list.linked", new LinkedList<>(List.of("a", "b")));
        values.put("list.stream", Stream.of("a", "b").toList());
        values.put("list.bools", new ArrayList<>(List.of(true, false)));
        values.put("list.emptyList", Collections.emptyList());
        values.put("list.singleton", Collections.singletonList("a"));
        values.put("list.unmodifiable", Collections.unmodifiableList(new ArrayList<>(List.of("a"))));
        values.put("list.synchronized", Collections.synchronizedList(new ArrayList<>(List.of("a"))));
        values.put("list.sublist", new ArrayList<>(List.of("a", "b", "c")).subList(1, 3));
        values.put("list.cow", new CopyOnWriteArrayList<>(List.of("a")));
        values.put("deque", new ArrayDeque<>(List.of("a", "b")));
        values.put("pqueue", new PriorityQueue<>(List.of(2, 1)));
        values.put("list.enums", new ArrayList<>(List.of(Status.NEW, Status.PAID)));
        values.put("list.uuids", new ArrayList<>(List.of(new UUID(1, 2))));
        values.put("list.dates", new ArrayList<>(List.of(new Date(5))));
        values.put("list.decimals", new ArrayList<>(List.of(new BigDecimal("1.5"))));
        values.put("list.bytearrays", new ArrayList<>(List.of(new byte[]{1, 2})));
        values.put("map.hashmap", new HashMap<>(Map.of("a", "x")));
        values.put("map.linked", properties());
        values.put("map.empty", new HashMap<>());
        values.put("map.of1", Map.of("a", 1));
        values.put("map.of0", Map.of());
        values.put("map.tree", new TreeMap<>(Map.of("b", 2, "a", 1)));
        values.put("map.tree.cmp", reversed());
        values.put("map.longkeys", longKeys());
        values.put("map.enumkeys", new LinkedHashMap<>(Map.of(Status.PAID, 1)));
        values.put("map.enummap", new EnumMap<>(Map.of(Status.PAID, 1)));
        values.put("map.nullvalue", nullValue());
        values.put("map.conc", new ConcurrentHashMap<>(Map.of("a", 1)));
        values.put("map.singleton", Collections.singletonMap("a", 1));
        values.put("map.emptyMap", Collections.emptyMap());
        values.put("map.unmodifiable", Collections.unmodifiableMap(new HashMap<>(Map.of("a", 1))));
        values.put("map.nested", nested());
        values.put("map.atclass", new LinkedHashMap<>(Map.of("@class", "x")));
        values.put("map.70", numberMap(70));
        values.put("set.hashset", new HashSet<>(Set.of("a")));
        values.put("set.linked", new LinkedHashSet<>(List.of("b", "a")));
        values.put("set.tree", new TreeSet<>(List.of("b", "a")));
        values.put("set.of1", Set.of("a"));
        values.put("set.of0", Set.of());
        values.put("set.enumset", EnumSet.of(Status.NEW, Status.PAID));
        values.put("set.enumset.empty", EnumSet.noneOf(Status.class));
        values.put("set.keyset", keySet());
        values.put("set.emptySet", Collections.emptySet());
        values.put("set.singleton", Collections.singleton("a"));
        values.put("arr.int", new int[]{1, -1, 300});
        values.put("arr.long", new long[]{1, -1, 1L << 40});
        values.put("arr.String", new String[]{"a", null, "\u4e16"});
        values.put("arr.double", new double[]{1.5});
        values.put("arr.float", new float[]{1.5f});
        values.put("arr.bool", new boolean[]{true, false});
        values.put("arr.char", new char[]{'x'});
        values.put("arr.short", new short[]{-1});
        values.put("arr.Object", new Object[]{"a", 1, null, 2L});
        values.put("arr.Integer", new Integer[]{1, null});
        values.put("arr.Long", new Long[]{1L});
        values.put("arr.Status", new Status[]{Status.PAID});
        values.put("arr.int2", new int[][]{{1}, {2, 3}});
        values.put("arr.empty", new String[0]);
        values.put("list.floats", new ArrayList<>(List.of(1.5f)));
        values.put("list.bytes", new ArrayList<>(List.of((byte) 1)));
        values.put("list.shorts", new ArrayList<>(List.of((short) 1)));
        values.put("list.chars", new ArrayList<>(List.of('x')));
        values.put("list.nan", new ArrayList<>(List.of(Double.NaN, 1.0)));
        values.put("list.nested.listof", new ArrayList<>(List.of(List.of("a"), List.of("b", "c"))));
        values.put("map.nested.mapof", new LinkedHashMap<>(Map.of("m", Map.of("k", 1L))));
        values.put("set.tree.empty", new TreeSet<String>());
        values.put("map.tree.empty", new TreeMap<String, String>());
        values.put("list.of.unmodifiable", new ArrayList<>(List.of(
                Collections.unmodifiableList(new ArrayList<>(List.of("a"))),
                Collections.unmodifiableList(new ArrayList<>(List.of("a", "b"))))));
        values.put("map.of.unmodifiable", unmodifiableMembers());
        values.put("optional", Optional.of("x"));
        values.put("optional.empty", Optional.empty());
        values.put("entry", new AbstractMap.SimpleEntry<>("k", 1));
    }

    private static List<Object> mixed() {
        return new ArrayList<>(Arrays.asList("s", 1, 2L, 1.5, true, null, new BigDecimal("1.50")));
    }

    private static List<Integer> numbers(int count) {
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            numbers.add(i);
        }
        return numbers;
    }

    private static Map<Integer, Integer> numberMap(int count) {
        Map<Integer, Integer> numbers = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            numbers.put(i, -i);
        }
        return numbers;
    }

    private static Map<String, Object> properties() {
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("s", "v");
        properties.put("i", 1);
        properties.put("l", 2L);
        properties.put("d", 1.5);
        properties.put("b", true);
        properties.put("n", null);
        properties.put("list", new ArrayList<>(List.of("x", "y")));
        properties.put("map", new LinkedHashMap<>(Map.of("k", 1)));
        return properties;
    }

    private static Map<String, Integer> reversed() {
        Map<String, Integer> tree = new TreeMap<>(Comparator.reverseOrder());
        tree.put("a", 1);
        tree.put("b", 2);
        return tree;
    }

    private static Map<Long, String> longKeys() {
        Map<Long, String> map = new LinkedHashMap<>();
        map.put(5L, "five");
        map.put(-1L, "minus");
        return map;
    }

    private static Map<String, String> nullValue() {
        Map<String, String> map = new HashMap<>();
        map.put("a", null);
        return map;
    }

    private static Map<String, Object> nested() {
        Map<String, Object> map = new HashMap<>();
        map.put("a", new HashMap<>(Map.of("b", new HashMap<>(Map.of("c", 1L)))));
        return map;
    }

    private static Set<String> keySet() {
        Set<String> set = ConcurrentHashMap.newKeySet();
        set.add("a");
        return set;
    }

    private static Map<String, Object> unmodifiableMembers() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("l1", Collections.unmodifiableList(new ArrayList<>(List.of("a"))));
        map.put("m", Collections.unmodifiableMap(new HashMap<>(Map.of("k", 1))));
        map.put("l2", Collections.unmodifiableList(new ArrayList<>(List.of("b"))));
        map.put("s", "after");
        return map;
    }
}
