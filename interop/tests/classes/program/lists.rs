//! Names, types of the JDK and kinds of containers, of which programs are made.

pub(super) const NAMES: [&str; 12] = [
    "id", "name", "a", "b", "aB", "Zed", "x1", "type", "value", "_u", "$d", "état",
];
pub(super) const CONSTANTS: [&str; 6] = ["NEW", "PAID", "A", "B", "mixedCase", "Ö"];
/// So many constants make an `EnumSet` one of another class.
pub(super) const MANY: usize = 65;
/// Methods of Java's serialization that change no value.
pub(super) const OWN_CODE: [&str; 4] = [
    "private Object readResolve() { return this; }",
    "protected Object writeReplace() { return this; }",
    "private void writeObject(java.io.ObjectOutputStream out) throws java.io.IOException { \
     out.defaultWriteObject(); }",
    "private void writeObject(java.io.ObjectOutputStream out) throws java.io.IOException { \
     out.defaultWriteObject(); out.writeInt(7); out.writeObject(\"more\"); }",
];
pub(super) const REFERENCE: &str = "java.util.concurrent.atomic.AtomicReference";
pub(super) const PRIMITIVES: [&str; 8] = [
    "boolean", "byte", "short", "char", "int", "long", "float", "double",
];
pub(super) const NUMBERS: [&str; 6] = [
    "java.lang.Integer",
    "java.lang.Long",
    "java.lang.Double",
    "java.lang.Short",
    "java.math.BigDecimal",
    "java.util.concurrent.atomic.AtomicLong",
];
pub(super) const SORTED: [&str; 3] = ["java.lang.String", "java.lang.Integer", "java.lang.Long"];
pub(super) const SCALARS: [&str; 25] = [
    "java.lang.String",
    "java.lang.String",
    "java.lang.Integer",
    "java.lang.Long",
    "java.lang.Long",
    "java.lang.Boolean",
    "java.lang.Byte",
    "java.lang.Short",
    "java.lang.Character",
    "java.lang.Float",
    "java.lang.Double",
    "java.math.BigDecimal",
    "java.math.BigInteger",
    "java.util.UUID",
    "java.util.Date",
    "java.lang.Object",
    "java.lang.Number",
    "java.net.URI",
    "java.util.concurrent.TimeUnit",
    "java.util.concurrent.atomic.AtomicBoolean",
    "java.util.concurrent.atomic.AtomicInteger",
    "java.util.concurrent.atomic.AtomicLong",
    "java.math.RoundingMode",
    "java.time.Month",
    "java.time.temporal.ChronoUnit",
];
pub(super) const THROWABLES: [&str; 2] = ["java.lang.Throwable", "java.lang.Exception"];
pub(super) const TIMES: [&str; 4] = [
    "java.time.Instant",
    "java.time.Duration",
    "java.time.LocalDate",
    "java.time.LocalDateTime",
];
/// Other types of the JDK, each of which has a form of its own in some codec.
pub(super) const RARE: [&str; 23] = [
    "java.time.LocalTime",
    "java.time.OffsetDateTime",
    "java.time.ZonedDateTime",
    "java.time.Year",
    "java.time.YearMonth",
    "java.time.Period",
    "java.time.ZoneOffset",
    "java.time.ZoneId",
    "java.io.File",
    "java.lang.Class",
    "java.lang.StringBuilder",
    "java.net.InetSocketAddress",
    "java.net.URL",
    "java.nio.charset.Charset",
    "java.sql.Date",
    "java.sql.Timestamp",
    "java.util.Calendar",
    "java.util.Locale",
    "java.util.OptionalDouble",
    "java.util.OptionalInt",
    "java.util.OptionalLong",
    "java.util.TimeZone",
    "java.util.regex.Pattern",
];
pub(super) const ZONES: [&str; 4] = ["UTC", "Europe/Paris", "America/New_York", "GMT+05:30"];
pub(super) const CLASSES: [&str; 9] = [
    "String.class",
    "int.class",
    "long[].class",
    "java.util.Map.class",
    "java.util.ArrayDeque.class",
    "java.util.ArrayList.class",
    "java.util.Collections.emptyList().getClass()",
    "java.util.EnumMap.class",
    "java.util.HashMap.class",
];

/// The component types of arrays, besides scalars and classes of the program.
pub(super) const COMPONENTS: [&str; 6] = [
    "java.util.ArrayList",
    "java.util.HashMap",
    "java.util.HashSet",
    "java.util.LinkedList",
    "java.util.List",
    "java.util.Queue",
];
pub(super) const CONTAINERS: [&str; 22] = [
    "java.util.List",
    "java.util.List",
    "java.util.List",
    "java.util.List",
    "java.util.Map",
    "java.util.Map",
    "java.util.Map",
    "java.util.Set",
    "java.util.Set",
    "java.util.Collection",
    "java.lang.Iterable",
    "java.util.Queue",
    "java.util.SortedSet",
    "java.util.SortedMap",
    "java.util.ArrayList",
    "java.util.LinkedList",
    "java.util.HashSet",
    "java.util.TreeSet",
    "java.util.PriorityQueue",
    "java.util.HashMap",
    "java.util.LinkedHashMap",
    "java.util.TreeMap",
];
pub(super) const LISTS: &[&str] = &[
    "ArrayList",
    "ArrayList",
    "ArrayList",
    "ArrayList",
    "LinkedList",
    "Vector",
    "CopyOnWriteArrayList",
    "asList",
    "List.of",
    "nCopies",
    "emptyList",
    "singletonList",
    "unmodifiableList",
    "synchronizedList",
    "kotlin.emptyList",
    "kotlin.buildList",
];
pub(super) const SETS: &[&str] = &[
    "HashSet",
    "LinkedHashSet",
    "LinkedHashSet",
    "Set.of",
    "emptySet",
    "singletonSet",
    "unmodifiableSet",
    "kotlin.emptySet",
];
pub(super) const QUEUES: &[&str] = &[
    "LinkedList",
    "LinkedList",
    "ArrayDeque",
    "ArrayDeque",
    "ConcurrentLinkedQueue",
    "ArrayBlockingQueue",
    "LinkedTransferQueue",
];
pub(super) const MAPS: &[&str] = &[
    "LinkedHashMap",
    "LinkedHashMap",
    "HashMap",
    "HashMap",
    "Hashtable",
    "ConcurrentHashMap",
    "Map.of",
    "emptyMap",
    "singletonMap",
    "unmodifiableMap",
    "kotlin.emptyMap",
];
/// Kinds that hold no null.
pub(super) const NO_NULLS: [&str; 12] = [
    "List.of",
    "Set.of",
    "Map.of",
    "ArrayDeque",
    "ArrayBlockingQueue",
    "ConcurrentLinkedQueue",
    "LinkedTransferQueue",
    "PriorityQueue",
    "TreeSet",
    "TreeMap",
    "Hashtable",
    "ConcurrentHashMap",
];
