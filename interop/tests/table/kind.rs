//! The kinds of values, by which the tables are ordered.

/// What the row of a table is called.
pub(crate) type Kind = &'static str;

/// The kind of the value with this id.
pub(crate) fn kind(id: &str) -> Kind {
    let first = id.split('.').next().unwrap_or(id);
    KINDS
        .iter()
        .find(|(_, ids)| ids.contains(&first))
        .map_or(OTHERS, |(kind, _)| kind)
}

const OTHERS: Kind = "others of the JDK";

/// Each kind with the first parts of the ids of its values.
pub(crate) const KINDS: [(Kind, &[&str]); 9] = [
    ("texts", &["str"]),
    (
        "numbers",
        &[
            "int", "long", "byte", "short", "char", "float", "double", "bool",
        ],
    ),
    ("big numbers", &["decimal", "bigint"]),
    (
        "dates and times",
        &[
            "date",
            "sql",
            "calendar",
            "instant",
            "localdatetime",
            "localdate",
            "localtime",
            "duration",
            "period",
            "zoneddatetime",
            "offsetdatetime",
            "zoneid",
            "zoneoffset",
            "year",
            "yearmonth",
            "timezone",
        ],
    ),
    ("enums", &["enum"]),
    (
        "lists, sets, arrays",
        &["list", "deque", "pqueue", "set", "arr", "bytes"],
    ),
    ("maps", &["map", "entry"]),
    ("objects, records", &["pojo", "record"]),
    (OTHERS, &[]),
];
