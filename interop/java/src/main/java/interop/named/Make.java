package interop.named;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.net.MalformedURLException;
import java.net.URL;
import java.sql.Timestamp;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.GregorianCalendar;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.Vector;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedTransferQueue;
import kotlin.collections.CollectionsKt;
import kotlin.collections.MapsKt;
import kotlin.collections.SetsKt;

/** What the source of a generated class makes its objects with. */
public final class Make {
    private Make() {
    }

    /** An object with these fields: for each the class that declares it, its name and its value. */
    public static Object object(Class<?> type, Object... fields) {
        try {
            return fill(bare(type), fields);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** An object that is there, with these fields. */
    public static Object filled(Object object, Object... fields) {
        try {
            return fill(object, fields);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** An exception with these fields, which has no more of a stack trace than its first line. */
    public static Object thrown(Class<?> type, String text, Object cause, Object... fields) {
        try {
            Throwable thrown = (Throwable) (cause == null
                    ? type.getDeclaredConstructor(String.class).newInstance(text)
                    : type.getDeclaredConstructor(String.class, Throwable.class).newInstance(text, cause));
            thrown.setStackTrace(Arrays.copyOf(thrown.getStackTrace(), 1));
            return fill(thrown, fields);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static Object fill(Object object, Object... fields) throws ReflectiveOperationException {
        for (int i = 0; i < fields.length; i += 3) {
            Field field = ((Class<?>) fields[i]).getDeclaredField((String) fields[i + 1]);
            field.setAccessible(true);
            field.set(object, fields[i + 2]);
        }
        return object;
    }

    /** An object that its only constructor makes. An inner class gets an object around it. */
    private static Object bare(Class<?> type) throws ReflectiveOperationException {
        Constructor<?> constructor = type.getDeclaredConstructors()[0];
        constructor.setAccessible(true);
        return constructor.getParameterCount() == 0
                ? constructor.newInstance()
                : constructor.newInstance(bare(type.getDeclaringClass()));
    }

    public static Object record(Class<?> type, Object... components) {
        try {
            Constructor<?> constructor = type.getDeclaredConstructors()[0];
            constructor.setAccessible(true);
            return constructor.newInstance(components);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static final Map<String, Object> KEPT = new HashMap<>();

    /** The value, which may stand at another place, too. */
    public static <T> T keep(String name, T value) {
        KEPT.put(name, value);
        return value;
    }

    /** Null if the source does not make it after all. */
    @SuppressWarnings("unchecked")
    public static <T> T kept(String name) {
        return (T) KEPT.get(name);
    }

    public static URL url(String text) {
        try {
            return new URL(text);
        } catch (MalformedURLException e) {
            throw new AssertionError(e);
        }
    }

    public static Timestamp timestamp(long millis, int nanos) {
        Timestamp timestamp = new Timestamp(millis);
        timestamp.setNanos(nanos);
        return timestamp;
    }

    public static Calendar calendar(long millis, String zone) {
        Calendar calendar = new GregorianCalendar(TimeZone.getTimeZone(zone), Locale.ROOT);
        calendar.setTimeInMillis(millis);
        return calendar;
    }

    public static Object array(Class<?> component, Object... items) {
        Object array = Array.newInstance(component, items.length);
        for (int i = 0; i < items.length; i++) {
            Array.set(array, i, items[i]);
        }
        return array;
    }

    /** A collection of a kind that the generator of classes knows. */
    public static Object collection(String kind, Object... items) {
        List<Object> list = new ArrayList<>(Arrays.asList(items));
        return switch (kind) {
            case "ArrayList" -> list;
            case "LinkedList" -> new LinkedList<>(list);
            case "Vector" -> new Vector<>(list);
            case "CopyOnWriteArrayList" -> new CopyOnWriteArrayList<>(list);
            case "asList" -> Arrays.asList(items);
            case "List.of" -> List.of(items);
            case "nCopies" -> Collections.nCopies(items.length, items.length == 0 ? null : items[0]);
            case "emptyList" -> Collections.emptyList();
            case "singletonList" -> Collections.singletonList(items[0]);
            case "unmodifiableList" -> Collections.unmodifiableList(list);
            case "synchronizedList" -> Collections.synchronizedList(list);
            case "kotlin.emptyList" -> CollectionsKt.emptyList();
            case "kotlin.buildList" -> kotlinList(list);
            case "ArrayDeque" -> new ArrayDeque<>(list);
            case "ArrayBlockingQueue" -> ring(list);
            case "PriorityQueue" -> new PriorityQueue<>(list);
            case "ConcurrentLinkedQueue" -> new ConcurrentLinkedQueue<>(list);
            case "LinkedTransferQueue" -> new LinkedTransferQueue<>(list);
            case "HashSet" -> new HashSet<>(list);
            case "LinkedHashSet" -> new LinkedHashSet<>(list);
            case "TreeSet" -> new TreeSet<>(list);
            case "Set.of" -> Set.copyOf(list);
            case "emptySet" -> Collections.emptySet();
            case "singletonSet" -> Collections.singleton(items[0]);
            case "unmodifiableSet" -> Collections.unmodifiableSet(new LinkedHashSet<>(list));
            case "kotlin.emptySet" -> SetsKt.emptySet();
            default -> throw new IllegalArgumentException(kind);
        };
    }

    /** The first element is not in the first place of the array. */
    private static Collection<Object> ring(List<Object> items) {
        ArrayBlockingQueue<Object> queue = new ArrayBlockingQueue<>(items.size() + 1);
        queue.add("");
        queue.remove();
        queue.addAll(items);
        return queue;
    }

    private static Collection<Object> kotlinList(List<Object> items) {
        List<Object> builder = CollectionsKt.createListBuilder();
        builder.addAll(items);
        return CollectionsKt.build(builder);
    }

    /** A map of a kind that the generator of classes knows; a value comes after its key. */
    public static Object map(String kind, Object... keysAndValues) {
        Map<Object, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            map.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        return switch (kind) {
            case "LinkedHashMap" -> map;
            case "HashMap" -> new HashMap<>(map);
            case "Hashtable" -> new Hashtable<>(map);
            case "TreeMap" -> new TreeMap<>(map);
            case "ConcurrentHashMap" -> new ConcurrentHashMap<>(map);
            case "Map.of" -> Map.copyOf(map);
            case "emptyMap" -> Collections.emptyMap();
            case "singletonMap" -> Collections.singletonMap(keysAndValues[0], keysAndValues[1]);
            case "unmodifiableMap" -> Collections.unmodifiableMap(map);
            case "kotlin.emptyMap" -> MapsKt.emptyMap();
            default -> throw new IllegalArgumentException(kind);
        };
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    public static Object enumSet(Class type, Object... constants) {
        EnumSet set = EnumSet.noneOf(type);
        set.addAll(Arrays.asList(constants));
        return set;
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    public static Object enumMap(Class type, Object... keysAndValues) {
        EnumMap map = new EnumMap(type);
        for (int i = 0; i < keysAndValues.length; i += 2) {
            map.put((Enum) keysAndValues[i], keysAndValues[i + 1]);
        }
        return map;
    }
}
