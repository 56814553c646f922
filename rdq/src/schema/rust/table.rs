//! What is known of the types of the JDK.

/// The class that boxes a primitive type, or the type itself.
pub(super) fn boxed(java: &str) -> &str {
    let found = BOXED.iter().find(|(primitive, _)| *primitive == java);
    found.map_or(java, |(_, class)| class)
}

/// True for the collections of the JDK.
pub(super) fn is_collection(name: &str) -> bool {
    let ends = [
        "Collection",
        "Deque",
        "List",
        "Queue",
        "Set",
        "Stack",
        "Vector",
    ];
    name == "java.lang.Iterable"
        || name.starts_with("java.util.")
            && name != "java.util.BitSet"
            && ends.iter().any(|it| name.ends_with(it))
}

/// True for the maps of the JDK.
pub(super) fn is_map(name: &str) -> bool {
    name.starts_with("java.util.") && ["Hashtable", "Map"].iter().any(|it| name.ends_with(it))
}

const BOXED: [(&str, &str); 8] = [
    ("boolean", "java.lang.Boolean"),
    ("byte", "java.lang.Byte"),
    ("char", "java.lang.Character"),
    ("double", "java.lang.Double"),
    ("float", "java.lang.Float"),
    ("int", "java.lang.Integer"),
    ("long", "java.lang.Long"),
    ("short", "java.lang.Short"),
];

/// Java types, the Rust type for them, and the Java type that this stands for if it is another.
pub(super) const PLAIN: [(&[&str], &str, &str); 24] = [
    (&["boolean", "java.lang.Boolean"], "bool", ""),
    (&["byte", "java.lang.Byte"], "i8", ""),
    (&["char", "java.lang.Character"], "u16", ""),
    (&["double", "java.lang.Double"], "f64", ""),
    (&["float", "java.lang.Float"], "f32", ""),
    (&["int", "java.lang.Integer"], "i32", ""),
    (&["long", "java.lang.Long"], "i64", ""),
    (&["short", "java.lang.Short"], "i16", ""),
    (&["java.lang.String"], "String", ""),
    (
        &[
            "java.lang.CharSequence",
            "java.lang.StringBuffer",
            "java.lang.StringBuilder",
            "java.net.URI",
            "java.net.URL",
            "java.util.Currency",
        ],
        "String",
        "java.lang.String",
    ),
    (&["java.math.BigDecimal"], "BigDecimal", ""),
    (&["java.math.BigInteger"], "BigInt", ""),
    (&["java.time.Duration"], "Duration", ""),
    (&["java.time.Instant"], "Instant", ""),
    (&["java.time.LocalDate"], "LocalDate", ""),
    (&["java.time.LocalDateTime"], "LocalDateTime", ""),
    (&["java.time.LocalTime"], "LocalTime", ""),
    (&["java.time.OffsetDateTime"], "OffsetDateTime", ""),
    (&["java.time.Period"], "Period", ""),
    (&["java.time.YearMonth"], "YearMonth", ""),
    (&["java.time.ZonedDateTime"], "ZonedDateTime", ""),
    (&["java.util.Date"], "Date", ""),
    (
        &["java.sql.Date", "java.sql.Time", "java.sql.Timestamp"],
        "Date",
        "java.util.Date",
    ),
    (&["java.util.UUID"], "Uuid", ""),
];

/// The types of this crate that the text may name.
pub(super) const OF_CRATE: [&str; 13] = [
    "BigDecimal",
    "BigInt",
    "Date",
    "Instant",
    "JavaObject",
    "JavaValue",
    "LocalDate",
    "LocalDateTime",
    "LocalTime",
    "OffsetDateTime",
    "Period",
    "YearMonth",
    "ZonedDateTime",
];
