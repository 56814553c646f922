use std::collections::BTreeMap;
use std::sync::LazyLock;

use proptest::prelude::*;

use super::*;
use crate::java::{Array, Collection, Date, Map, Name, Temporal, Text};

/// Name and objects of streams that `ObjectOutputStream` of OpenJDK 17 wrote.
static STREAMS: LazyLock<BTreeMap<&str, Vec<Vec<u8>>>> = LazyLock::new(|| {
    let lines = include_str!("tests.txt").lines();
    let lines = lines.filter_map(|line| line.split_once(' '));
    lines
        .map(|(name, objects)| (name, objects.split(' ').map(unhex).collect()))
        .collect()
});

fn unhex(hex: &str) -> Vec<u8> {
    (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
        .collect()
}

fn all(stream: &str) -> Vec<Result<JavaValue, Malformed>> {
    let mut reader = Reader::new();
    let objects = STREAMS[stream].iter().map(|bytes| {
        // What follows the object is not looked at.
        let and_more = [&bytes[..], b"more"].concat();
        let (value, length) = reader.read(0, &and_more)?;
        assert_eq!(length, bytes.len());
        Ok(value)
    });
    objects.collect()
}

fn one(stream: &str) -> JavaValue {
    let mut all = all(stream);
    assert_eq!(all.len(), 1);
    all.remove(0).unwrap()
}

fn refusal(stream: &str) -> String {
    all(stream).remove(0).unwrap_err().to_string()
}

fn list(class: &'static str, items: &[&str]) -> JavaValue {
    JavaValue::collection(class, items.iter().map(|it| JavaValue::from(*it)))
}

fn map<V: Into<JavaValue>>(class: &'static str, key: &str, value: V) -> JavaValue {
    JavaValue::Map(Map {
        class: class.into(),
        comparator: Box::default(),
        entries: vec![(key.into(), value.into())],
    })
}

fn text(class: &'static str, text: &str) -> JavaValue {
    JavaValue::Text(Text {
        class: class.into(),
        text: text.to_owned(),
    })
}

#[test]
fn later_objects_refer_to_what_earlier_ones_sent() {
    let read: Result<Vec<_>, _> = all("two").into_iter().collect();
    let random_access = "java.util.Collections$UnmodifiableRandomAccessList";
    assert_eq!(
        read.unwrap(),
        [
            list("java.util.ArrayList", &["a"]),
            list(random_access, &["a", "b"]),
            list("java.util.Collections$UnmodifiableList", &["a"]),
        ]
    );
    // Alone, the second object has no class.
    let mut reader = Reader::new();
    reader
        .read(0, &[&b"\xac\xed\0\x05"[..], b"p"].concat())
        .unwrap();
    assert!(reader.read(0, &STREAMS["two"][2]).is_err());
}

#[test]
fn collections_of_the_jdk_are_read() {
    let util = |stream: &str, class: &'static str| {
        assert_eq!(one(stream), list(class, &["a"]), "{stream}");
    };
    util("vector", "java.util.Vector");
    util("deque", "java.util.ArrayDeque");
    util("lbq", "java.util.concurrent.LinkedBlockingQueue");
    util("lbd", "java.util.concurrent.LinkedBlockingDeque");
    util("clq", "java.util.concurrent.ConcurrentLinkedQueue");
    util("cld", "java.util.concurrent.ConcurrentLinkedDeque");
    util("pbq", "java.util.concurrent.PriorityBlockingQueue");
    util("cowset", "java.util.concurrent.CopyOnWriteArraySet");
    util("setfrommap", "java.util.Collections$SetFromMap");
    util("syncset", "java.util.Collections$SynchronizedSet");
    util("unmodset", "java.util.Collections$UnmodifiableSet");
    util(
        "unmodsortedset",
        "java.util.Collections$UnmodifiableSortedSet",
    );
    util("checked", "java.util.Collections$CheckedRandomAccessList");
    assert_eq!(one("stack"), list("java.util.Stack", &["s"]));
    assert_eq!(
        one("copies"),
        list("java.util.Collections$CopiesList", &["a", "a", "a"])
    );
    assert_eq!(
        one("lifo"),
        list("java.util.Collections$AsLIFOQueue", &["a", "b"])
    );
    // In its array, the first element is behind the others.
    assert_eq!(
        one("ring"),
        list("java.util.concurrent.ArrayBlockingQueue", &["a", "b", "c"])
    );
    assert_eq!(
        one("transfer"),
        list("java.util.concurrent.LinkedTransferQueue", &["a", "b"])
    );
    let view = "java.util.concurrent.ConcurrentHashMap$KeySetView";
    assert_eq!(one("chmkeys"), list(view, &["k"]));
    let view = "java.util.concurrent.ConcurrentHashMap$ValuesView";
    assert_eq!(one("chmvalues"), list(view, &["v"]));
    // Neither keys nor values.
    assert!(matches!(one("chmentries"), JavaValue::Object(_)));
    assert_eq!(
        one("skipset"),
        list("java.util.concurrent.ConcurrentSkipListSet", &["a", "b"])
    );
    assert_eq!(
        one("toListNulls"),
        JavaValue::collection(
            "java.util.ImmutableCollections$ListN",
            ["a".into(), JavaValue::Null]
        )
    );
    let nested = list("java.util.ArrayList", &["x"]);
    assert_eq!(one("shared"), JavaValue::list([nested.clone(), nested]));
}

#[test]
fn maps_of_the_jdk_are_read() {
    assert_eq!(one("hashtable"), map("java.util.Hashtable", "a", 1));
    assert_eq!(one("properties"), map("java.util.Properties", "a", "b"));
    assert_eq!(one("identity"), map("java.util.IdentityHashMap", "a", "b"));
    assert_eq!(
        one("syncsortedmap"),
        map("java.util.Collections$SynchronizedSortedMap", "a", 1)
    );
    let JavaValue::Map(skip) = one("skipmap") else {
        panic!("no map");
    };
    assert_eq!(skip.class, "java.util.concurrent.ConcurrentSkipListMap");
    assert_eq!(skip.entries[1], ("b".into(), "2".into()));
}

#[test]
fn comparators_are_read() {
    let none: [(Name, JavaValue); 0] = [];
    let reverse = JavaValue::object("java.util.Collections$ReverseComparator", none);
    assert_eq!(
        one("treerev"),
        JavaValue::Collection(Collection {
            class: "java.util.TreeSet".into(),
            comparator: Box::new(reverse.clone()),
            items: vec!["b".into(), "a".into()],
        })
    );
    assert_eq!(
        one("treemaprev"),
        JavaValue::Map(Map {
            class: "java.util.TreeMap".into(),
            comparator: Box::new(reverse),
            entries: vec![("a".into(), "b".into())],
        })
    );
}

#[test]
fn times_are_read() {
    use crate::java::{LocalTime, Period};

    assert_eq!(
        one("period"),
        JavaValue::Time(Temporal::Period(Period {
            years: 1,
            months: -2,
            days: 3
        }))
    );
    let JavaValue::Time(Temporal::ZonedDateTime(zoned)) = one("zdt") else {
        panic!("no time");
    };
    assert_eq!(zoned.zone, "-01:01:01");
    assert_eq!(zoned.local.time.nano, 6);
    let time = LocalTime {
        hour: 13,
        minute: 0,
        second: 0,
        nano: 0,
    };
    assert_eq!(
        one("offsettime"),
        JavaValue::object(
            "java.time.OffsetTime",
            [
                ("time", Temporal::LocalTime(time).into()),
                ("offset", Temporal::ZoneOffset(-10_800).into())
            ]
        )
    );
    let fields = [("month", 2.into()), ("day", 29.into())];
    assert_eq!(
        one("monthday"),
        JavaValue::object("java.time.MonthDay", fields)
    );
    for (stream, class, millis) in [
        ("sqltime", "java.sql.Time", 5),
        ("ts", "java.sql.Timestamp", -1001),
    ] {
        let class = class.into();
        assert_eq!(one(stream), JavaValue::Date(Date { class, millis }));
    }
}

#[test]
fn other_objects_of_the_jdk_are_read() {
    let urls: Result<Vec<_>, _> = all("url").into_iter().collect();
    assert_eq!(
        urls.unwrap(),
        [
            text("java.net.URL", "file:/x/y?q=1#r"),
            text("java.net.URL", "http://u@h:80/p"),
            text("java.net.URL", "mailto:a@b"),
        ]
    );
    assert_eq!(one("stringbuffer"), text("java.lang.StringBuffer", "sb"));
    assert_eq!(
        one("atomicbool"),
        JavaValue::object(
            "java.util.concurrent.atomic.AtomicBoolean",
            [("value", true.into())]
        )
    );
    assert_eq!(
        one("atomiclong"),
        JavaValue::object(
            "java.util.concurrent.atomic.AtomicLong",
            [("value", 5_i64.into())]
        )
    );
    assert_eq!(one("null"), JavaValue::Null);
    let ints = |items: &[i32]| {
        JavaValue::Array(Array {
            class: "[I".into(),
            items: items.iter().map(|it| JavaValue::Integer(*it)).collect(),
        })
    };
    assert_eq!(
        one("matrix"),
        JavaValue::Array(Array {
            class: "[[I".into(),
            items: vec![ints(&[1]), JavaValue::Null, ints(&[2, 3])],
        })
    );
}

/// The codec writes the value that it read with the bytes that Java wrote.
#[cfg(feature = "serialization")]
#[test]
fn values_are_written_again_as_java_wrote_them() {
    use crate::{Codec, SerializationCodec};

    let codec = SerializationCodec::<JavaValue>::new();
    for stream in [
        "deque",
        "clq",
        "cld",
        "treerev",
        "treemaprev",
        "sqltime",
        "period",
        "zdt",
        "atomicbool",
        "atomiclong",
        "matrix",
        "toListNulls",
        "shared",
    ] {
        let written = codec.encode(&one(stream));
        let is_shared = stream == "shared";
        assert_eq!(
            written.unwrap() == STREAMS[stream][0],
            !is_shared,
            "{stream}"
        );
    }
}

/// A throwable without a cause refers to itself, which is no cycle worth an error.
#[test]
fn throwables_are_objects_with_fields() {
    let JavaValue::Object(outer) = one("cause") else {
        panic!("no object");
    };
    assert_eq!(outer.class, "java.lang.IllegalStateException");
    let Some(JavaValue::Object(cause)) = outer.get("cause") else {
        panic!("no cause");
    };
    assert_eq!(cause.get("detailMessage"), Some(&"bad".into()));
    assert_eq!(cause.get("cause"), Some(&JavaValue::Null));
    assert_eq!(one("throwable"), JavaValue::Object(cause.clone()));
}

#[test]
fn a_locale_keeps_its_script() {
    let fields = [
        ("language", "zh"),
        ("country", "TW"),
        ("variant", ""),
        ("script", "Hant"),
    ];
    let fields = fields.map(|(name, part)| (name, JavaValue::from(part)));
    assert_eq!(
        one("scriptlocale"),
        JavaValue::object("java.util.Locale", fields)
    );
}

#[test]
fn what_no_value_can_hold_is_refused() {
    for (stream, message) in [
        ("cycle", "an object contains itself at byte 4"),
        ("selflist", "an object contains itself at byte 4"),
        (
            "ext",
            "an object is written in a way that only its class knows at byte 4",
        ),
        ("proxy", "dynamic proxies cannot be read at byte 5"),
        ("failed", "java failed while it wrote this at byte 61"),
    ] {
        assert_eq!(refusal(stream), message, "{stream}");
    }
    for (bytes, message) in [
        (
            &b"\xac\xed\0\x04p"[..],
            "not a stream of java objects at byte 0",
        ),
        (b"\xac\xed\0", "the bytes end too early at byte 0"),
        (b"\xac\xed\0\x05", "the bytes end too early at byte 4"),
        (
            b"\xac\xed\0\x05w\x01a",
            "bytes stand where an object should at byte 0",
        ),
        (
            b"\xac\xed\0\x05q\0~\0\0",
            "refers to an object that has not come yet at byte 5",
        ),
        (b"\xac\xed\0\x05sp", "an object has no class at byte 5"),
        (
            b"\xac\xed\0\x05\x01",
            "not an object of a java stream at byte 4",
        ),
    ] {
        let error = Reader::new().read(0, bytes).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

/// `Object[]`s that each hold the next one twice: few bytes, and more values than fit any memory.
#[test]
fn references_cannot_blow_a_value_up() {
    let mut bytes = b"\xac\xed\0\x05".to_vec();
    for level in 0..60_u8 {
        bytes.push(b'u');
        match level {
            0 => bytes.extend(b"r\0\x13[Ljava.lang.Object;\x90\xceX\x9f\x10s)l\x02\0\0xp"),
            _ => bytes.extend(b"q\0~\0\0"),
        }
        bytes.extend([0, 0, 0, 2]);
    }
    bytes.extend(b"pp");
    for level in (2..=60_u8).rev() {
        bytes.extend([b'q', 0, 0x7e, 0, level]);
    }
    let error = Reader::new().read(0, &bytes).unwrap_err();
    assert_eq!(error.reason, "objects are repeated too often");
}

#[test]
fn nesting_has_an_end() {
    let mut bytes = b"\xac\xed\0\x05".to_vec();
    bytes.extend(b"ur\0\x13[Ljava.lang.Object;\x90\xceX\x9f\x10s)l\x02\0\0xp\0\0\0\x01");
    bytes.extend(b"uq\0~\0\0\0\0\0\x01".repeat(100_000));
    let error = Reader::new().read(0, &bytes).unwrap_err();
    assert_eq!(error.reason, "objects are nested too deep");

    let mut chain = b"\xac\xed\0\x05s".to_vec();
    chain.extend(b"r\0\x01a\0\0\0\0\0\0\0\0\x02\0\0x".repeat(100_000));
    chain.push(b'p');
    let error = Reader::new().read(0, &chain).unwrap_err();
    assert_eq!(error.reason, "a class has too many ancestors");
}

proptest! {
    /// One wrong byte, anywhere in what Java wrote, or an early end.
    #[test]
    fn damaged_streams_are_read_or_refused(
        stream in 0..STREAMS.len(), place: prop::sample::Index, byte: u8, end: prop::sample::Index
    ) {
        let mut reader = Reader::new();
        for object in STREAMS.values().nth(stream).unwrap() {
            let mut damaged = object.clone();
            *place.get_mut(&mut damaged) = byte;
            let _ = reader.read(0, &damaged);
            let end = end.index(object.len());
            let read = Reader::new().read(0, &object[..end]);
            prop_assert!(read.is_err() || object[0] != 0xac, "an object without its end");
        }
    }
}
