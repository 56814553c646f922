/// How the values of a class are written: one for each serializer of Kryo.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Form {
    Boolean,
    Byte,
    Character,
    Short,
    Integer,
    Long,
    Float,
    Double,
    String,
    BigInteger,
    BigDecimal,
    Uuid,
    Date,
    Duration,
    Instant,
    LocalDate,
    LocalDateTime,
    LocalTime,
    OffsetDateTime,
    Period,
    Year,
    YearMonth,
    ZoneOffset,
    ZoneRegion,
    ZonedDateTime,
    Optional,
    /// A text, of which the serializer may write null itself.
    Text {
        takes_null: bool,
    },
    Class,
    Locale,
    Pattern,
    BitSet,
    Calendar,
    AtomicBoolean,
    AtomicInteger,
    AtomicLong,
    AtomicReference,
    Bytes,
    Array(Element),
    Collection(Container),
    Map(Container),
    EmptyCollection,
    EmptyMap,
    SingletonCollection,
    SingletonMap,
    EnumSet,
    KeySetView,
    /// A collection around another: a Java object stream since Redisson 3.35.0, a collection that
    /// Redisson itself could not read back before.
    CollectionWrapper,
    /// Likewise a map; that of an `EnumMap` since 3.36.0.
    MapWrapper,
    /// A Java object stream, one of these: several classes can share a stream.
    Stream(&'static str),
    /// Those of the schema, by their place in `Classes`.
    Enum(usize),
    Object(usize),
    Record(usize),
}

/// What an array holds; an array of bytes has a form of its own.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Element {
    Boolean,
    Character,
    Short,
    Integer,
    Long,
    Float,
    Double,
    String,
    Other,
}

/// What distinguishes collections and maps from each other.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Container {
    /// Whether the comparator is written.
    pub(super) sorts: bool,
    /// Whether it may hold nulls, as far as Kryo knows.
    pub(super) has_nulls: bool,
}

impl Form {
    /// Whether the serializer writes null itself; for others a byte before the value does.
    pub(super) fn takes_null(self) -> bool {
        match self {
            Self::Text { takes_null } => takes_null,
            Self::String
            | Self::BigInteger
            | Self::BigDecimal
            | Self::Class
            | Self::Enum(_)
            | Self::Bytes
            | Self::Array(_)
            | Self::Collection(_)
            | Self::Map(_) => true,
            _ => false,
        }
    }

    /// Whether Kryo looks if it has met the object before, when it keeps references.
    pub(super) fn has_identity(self) -> bool {
        self.primitive_tag().is_none() && !matches!(self, Self::Enum(_))
    }

    /// The class tag of a primitive type and the class that boxes it.
    pub(super) fn primitive_tag(self) -> Option<u32> {
        Some(match self {
            Self::Integer => 2,
            Self::Float => 4,
            Self::Boolean => 5,
            Self::Byte => 6,
            Self::Character => 7,
            Self::Short => 8,
            Self::Long => 9,
            Self::Double => 10,
            _ => return None,
        })
    }

    /// The form of a class of the JDK, and its name.
    pub(super) fn of_jdk(class: &str) -> Option<(&'static str, Self)> {
        let place = JDK.binary_search_by_key(&class, |it| it.0).ok()?;
        Some(JDK[place])
    }
}

const PLAIN: Container = Container {
    sorts: false,
    has_nulls: true,
};
const SORTED: Container = Container {
    sorts: true,
    has_nulls: true,
};
const IMMUTABLE: Container = Container {
    sorts: false,
    has_nulls: false,
};
const TEXT: Form = Form::Text { takes_null: false };
const TEXT_OR_NULL: Form = Form::Text { takes_null: true };

/// Classes that Java can make new objects of: an abstract one or an interface must never be here.
const JDK: [(&str, Form); 128] = [
    ("boolean", Form::Boolean),
    ("byte", Form::Byte),
    ("char", Form::Character),
    ("double", Form::Double),
    ("float", Form::Float),
    ("int", Form::Integer),
    ("java.lang.Boolean", Form::Boolean),
    ("java.lang.Byte", Form::Byte),
    ("java.lang.Character", Form::Character),
    ("java.lang.Class", Form::Class),
    ("java.lang.Double", Form::Double),
    ("java.lang.Float", Form::Float),
    ("java.lang.Integer", Form::Integer),
    ("java.lang.Long", Form::Long),
    ("java.lang.Short", Form::Short),
    ("java.lang.String", Form::String),
    ("java.lang.StringBuffer", TEXT_OR_NULL),
    ("java.lang.StringBuilder", TEXT_OR_NULL),
    ("java.math.BigDecimal", Form::BigDecimal),
    ("java.math.BigInteger", Form::BigInteger),
    (
        "java.net.Inet4Address",
        Form::Stream("java.net.InetAddress"),
    ),
    (
        "java.net.Inet6Address",
        Form::Stream("java.net.InetAddress"),
    ),
    (
        "java.net.InetSocketAddress",
        Form::Stream("java.net.SocketAddress"),
    ),
    ("java.net.URI", TEXT),
    ("java.net.URL", TEXT),
    ("java.sql.Date", Form::Date),
    ("java.sql.Time", Form::Date),
    ("java.sql.Timestamp", Form::Date),
    ("java.time.Duration", Form::Duration),
    ("java.time.Instant", Form::Instant),
    ("java.time.LocalDate", Form::LocalDate),
    ("java.time.LocalDateTime", Form::LocalDateTime),
    ("java.time.LocalTime", Form::LocalTime),
    ("java.time.OffsetDateTime", Form::OffsetDateTime),
    ("java.time.Period", Form::Period),
    ("java.time.Year", Form::Year),
    ("java.time.YearMonth", Form::YearMonth),
    ("java.time.ZoneOffset", Form::ZoneOffset),
    ("java.time.ZoneRegion", Form::ZoneRegion),
    ("java.time.ZonedDateTime", Form::ZonedDateTime),
    ("java.util.ArrayDeque", Form::Collection(PLAIN)),
    ("java.util.ArrayList", Form::Collection(PLAIN)),
    ("java.util.ArrayList$SubList", Form::Collection(PLAIN)),
    ("java.util.Arrays$ArrayList", Form::Collection(PLAIN)),
    ("java.util.BitSet", Form::BitSet),
    (
        "java.util.Collections$CheckedCollection",
        Form::CollectionWrapper,
    ),
    ("java.util.Collections$CheckedList", Form::CollectionWrapper),
    ("java.util.Collections$CheckedMap", Form::MapWrapper),
    (
        "java.util.Collections$CheckedNavigableMap",
        Form::MapWrapper,
    ),
    (
        "java.util.Collections$CheckedNavigableSet",
        Form::CollectionWrapper,
    ),
    (
        "java.util.Collections$CheckedRandomAccessList",
        Form::CollectionWrapper,
    ),
    ("java.util.Collections$CheckedSet", Form::CollectionWrapper),
    ("java.util.Collections$CheckedSortedMap", Form::MapWrapper),
    (
        "java.util.Collections$CheckedSortedSet",
        Form::CollectionWrapper,
    ),
    ("java.util.Collections$EmptyList", Form::EmptyCollection),
    ("java.util.Collections$EmptyMap", Form::EmptyMap),
    ("java.util.Collections$EmptySet", Form::EmptyCollection),
    (
        "java.util.Collections$SingletonList",
        Form::SingletonCollection,
    ),
    ("java.util.Collections$SingletonMap", Form::SingletonMap),
    (
        "java.util.Collections$SingletonSet",
        Form::SingletonCollection,
    ),
    (
        "java.util.Collections$SynchronizedCollection",
        Form::CollectionWrapper,
    ),
    (
        "java.util.Collections$SynchronizedList",
        Form::CollectionWrapper,
    ),
    ("java.util.Collections$SynchronizedMap", Form::MapWrapper),
    (
        "java.util.Collections$SynchronizedNavigableMap",
        Form::MapWrapper,
    ),
    (
        "java.util.Collections$SynchronizedNavigableSet",
        Form::CollectionWrapper,
    ),
    (
        "java.util.Collections$SynchronizedRandomAccessList",
        Form::CollectionWrapper,
    ),
    (
        "java.util.Collections$SynchronizedSet",
        Form::CollectionWrapper,
    ),
    (
        "java.util.Collections$SynchronizedSortedMap",
        Form::MapWrapper,
    ),
    (
        "java.util.Collections$SynchronizedSortedSet",
        Form::CollectionWrapper,
    ),
    (
        "java.util.Collections$UnmodifiableCollection",
        Form::CollectionWrapper,
    ),
    (
        "java.util.Collections$UnmodifiableList",
        Form::CollectionWrapper,
    ),
    ("java.util.Collections$UnmodifiableMap", Form::MapWrapper),
    (
        "java.util.Collections$UnmodifiableNavigableMap",
        Form::MapWrapper,
    ),
    (
        "java.util.Collections$UnmodifiableNavigableSet",
        Form::CollectionWrapper,
    ),
    (
        "java.util.Collections$UnmodifiableRandomAccessList",
        Form::CollectionWrapper,
    ),
    (
        "java.util.Collections$UnmodifiableSet",
        Form::CollectionWrapper,
    ),
    (
        "java.util.Collections$UnmodifiableSortedMap",
        Form::MapWrapper,
    ),
    (
        "java.util.Collections$UnmodifiableSortedSet",
        Form::CollectionWrapper,
    ),
    ("java.util.Currency", TEXT_OR_NULL),
    ("java.util.Date", Form::Date),
    ("java.util.EnumMap", Form::MapWrapper),
    ("java.util.GregorianCalendar", Form::Calendar),
    ("java.util.HashMap", Form::Map(PLAIN)),
    ("java.util.HashSet", Form::Collection(PLAIN)),
    ("java.util.Hashtable", Form::Map(PLAIN)),
    ("java.util.IdentityHashMap", Form::Map(PLAIN)),
    (
        "java.util.ImmutableCollections$List12",
        Form::Collection(IMMUTABLE),
    ),
    (
        "java.util.ImmutableCollections$ListN",
        Form::Collection(IMMUTABLE),
    ),
    ("java.util.ImmutableCollections$Map1", Form::Map(IMMUTABLE)),
    ("java.util.ImmutableCollections$MapN", Form::Map(IMMUTABLE)),
    (
        "java.util.ImmutableCollections$Set12",
        Form::Collection(IMMUTABLE),
    ),
    (
        "java.util.ImmutableCollections$SetN",
        Form::Collection(IMMUTABLE),
    ),
    (
        "java.util.ImmutableCollections$SubList",
        Form::Collection(IMMUTABLE),
    ),
    ("java.util.JumboEnumSet", Form::EnumSet),
    ("java.util.LinkedHashMap", Form::Map(PLAIN)),
    ("java.util.LinkedHashSet", Form::Collection(PLAIN)),
    ("java.util.LinkedList", Form::Collection(PLAIN)),
    ("java.util.Locale", Form::Locale),
    ("java.util.Optional", Form::Optional),
    ("java.util.PriorityQueue", Form::Collection(SORTED)),
    ("java.util.Properties", Form::Map(PLAIN)),
    ("java.util.RegularEnumSet", Form::EnumSet),
    ("java.util.SimpleTimeZone", TEXT),
    ("java.util.Stack", Form::Collection(PLAIN)),
    ("java.util.TreeMap", Form::Map(SORTED)),
    ("java.util.TreeSet", Form::Collection(SORTED)),
    ("java.util.UUID", Form::Uuid),
    ("java.util.Vector", Form::Collection(PLAIN)),
    ("java.util.WeakHashMap", Form::Map(PLAIN)),
    ("java.util.concurrent.ConcurrentHashMap", Form::Map(PLAIN)),
    (
        "java.util.concurrent.ConcurrentHashMap$KeySetView",
        Form::KeySetView,
    ),
    (
        "java.util.concurrent.ConcurrentLinkedDeque",
        Form::Collection(PLAIN),
    ),
    (
        "java.util.concurrent.ConcurrentLinkedQueue",
        Form::Collection(PLAIN),
    ),
    (
        "java.util.concurrent.ConcurrentSkipListMap",
        Form::Map(SORTED),
    ),
    (
        "java.util.concurrent.ConcurrentSkipListSet",
        Form::Collection(PLAIN),
    ),
    (
        "java.util.concurrent.CopyOnWriteArrayList",
        Form::Collection(PLAIN),
    ),
    (
        "java.util.concurrent.CopyOnWriteArraySet",
        Form::Collection(PLAIN),
    ),
    (
        "java.util.concurrent.LinkedBlockingDeque",
        Form::Collection(PLAIN),
    ),
    (
        "java.util.concurrent.LinkedBlockingQueue",
        Form::Collection(PLAIN),
    ),
    (
        "java.util.concurrent.PriorityBlockingQueue",
        Form::Collection(PLAIN),
    ),
    (
        "java.util.concurrent.atomic.AtomicBoolean",
        Form::AtomicBoolean,
    ),
    (
        "java.util.concurrent.atomic.AtomicInteger",
        Form::AtomicInteger,
    ),
    ("java.util.concurrent.atomic.AtomicLong", Form::AtomicLong),
    (
        "java.util.concurrent.atomic.AtomicReference",
        Form::AtomicReference,
    ),
    ("java.util.regex.Pattern", Form::Pattern),
    ("long", Form::Long),
    ("short", Form::Short),
    ("sun.util.calendar.ZoneInfo", TEXT),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_in_order_for_the_search() {
        assert!(JDK.is_sorted_by_key(|it| it.0));
    }
}
