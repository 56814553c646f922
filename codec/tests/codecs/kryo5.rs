//! `Kryo5Codec` against what Redisson wrote with its default codec.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;
use redisson_codec::java::JavaValue;
use redisson_codec::{Codec, Kryo5Codec};

use crate::canonical::{canonical, same};
use crate::random::Dice;
use crate::vectors::{Vector, of_codec, schema};

/// Values of which Kryo writes less than Java has, or which Java prints with what it knows besides.
const LESS_THAN_JAVA: [&str; 2] = ["sql.timestamp", "zoneddatetime"];

/// What Redisson writes and cannot read back, so that it would be lost. Written by versions before
/// those that the documentation of the codec names; a sub list by all.
const LOST_IN_JAVA: [(&str, &str); 9] = [
    ("list.of.unmodifiable", "3.17.7"),
    ("list.sublist", "3.17.7"),
    ("list.synchronized", "3.17.7"),
    ("list.unmodifiable", "3.17.7"),
    ("map.enummap", "3.17.7"),
    ("map.of.unmodifiable", "3.17.7"),
    ("map.unmodifiable", "3.17.7"),
    ("pojo.simple.unmodifiable", "3.17.7"),
    ("set.keyset", "3.17.7"),
];

/// The fields of classes of the JDK, which Java gives away in versions before 16 only: numbers and
/// texts that nothing tells from what later versions of Redisson write.
const OF_JAVA_8: [(&str, &str); 8] = [
    ("atomic.bool", "3.17.7 --add-opens"),
    ("atomic.int", "3.17.7 --add-opens"),
    ("atomic.long", "3.17.7 --add-opens"),
    ("entry", "3.17.7 --add-opens"),
    ("inet", "3.17.7 --add-opens"),
    ("list.uuids", "3.17.7 --add-opens"),
    ("pattern", "3.17.7 --add-opens"),
    ("pojo.holder", "3.17.7 --add-opens"),
];

/// With references, what Java has twice and no value here can be: the literals of `new Finale()`,
/// a child on both sides, a `"s"` in two fields.
const SHARED_IN_JAVA: [(&str, &str); 4] = [
    ("list.finals", "3.37.0"),
    ("pojo.finalholder", "3.37.0"),
    ("pojo.holder", "3.37.0"),
    ("pojo.node.shared", "3.37.0"),
];

type Row = (&'static str, &'static str);

/// What does not come out as it went in, by id and the oldest version that writes these bytes.
#[derive(Debug, Default)]
struct Differences {
    rows: usize,
    /// Rows that cannot be read.
    unread: BTreeSet<Row>,
    /// The ids of rows of which the value is not the one that was recorded.
    other_value: BTreeSet<&'static str>,
    /// Rows that are read, and written with other bytes or not at all.
    other_bytes: BTreeSet<Row>,
}

/// The codec must take the whole payload: a byte left over is an error.
fn compare(codec: impl Fn(&Vector) -> Kryo5Codec, rows: &str) -> Differences {
    let mut differences = Differences::default();
    for vector in of_codec(rows) {
        differences.rows += 1;
        let row = (vector.id.as_str(), vector.redisson[0].as_str());
        let codec = codec(vector);
        let Ok(value) = codec.decode(vector.payload.clone()) else {
            differences.unread.insert(row);
            continue;
        };
        let shown = canonical(&value);
        if !same(&shown, &vector.value) {
            println!("{row:?}: {shown} instead of {}", vector.value);
            differences.other_value.insert(row.0);
        }
        let written = codec.encode(&value);
        if written.as_ref().ok() != Some(&vector.payload) {
            println!("{row:?}: {written:?}");
            differences.other_bytes.insert(row);
        }
    }
    differences
}

fn plain() -> Kryo5Codec<JavaValue> {
    static CODEC: LazyLock<Kryo5Codec<JavaValue>> =
        LazyLock::new(|| Kryo5Codec::with_schema(schema()).unwrap());
    CODEC.clone()
}

#[test]
fn payloads_match_redisson() {
    let found = compare(|_| plain(), "Kryo5Codec");
    assert_eq!(found.rows, 264);
    assert_eq!(found.unread, BTreeSet::from(OF_JAVA_8));
    assert_eq!(found.other_value, BTreeSet::from(LESS_THAN_JAVA));
    assert_eq!(found.other_bytes, BTreeSet::from(LOST_IN_JAVA));
}

#[test]
fn payloads_with_references_match_redisson() {
    let found = compare(|_| plain().references(true), "Kryo5Codec(references)");
    assert_eq!(found.rows, 244);
    assert_eq!(found.unread, BTreeSet::new());
    assert_eq!(found.other_value, BTreeSet::from(LESS_THAN_JAVA));
    let lost = [("list.sublist", "3.37.0"), ("set.keyset", "3.37.0")];
    let expected: BTreeSet<Row> = SHARED_IN_JAVA.into_iter().chain(lost).collect();
    assert_eq!(found.other_bytes, expected);
}

#[test]
fn payloads_with_allowed_classes_match_redisson() {
    let codec = |vector: &Vector| {
        let classes = [
            "java.util.ArrayList",
            "java.util.LinkedHashMap",
            "com.example.orders.SimpleOrder",
            "com.example.orders.Status",
            "com.example.orders.Address",
        ];
        match vector.is_of("4.7.0") {
            true => plain().allowed_classes(classes),
            false => plain().allowed_classes_in_order(classes),
        }
    };
    let found = compare(codec, "Kryo5Codec(allowed)");
    assert_eq!(found.rows, 37);
    assert_eq!(found.unread, BTreeSet::new());
    assert_eq!(found.other_value, BTreeSet::new());
    assert_eq!(found.other_bytes, BTreeSet::new());
}

/// A Java value in the order in which a codec gives fields back.
fn fields_in_order(value: &JavaValue) -> String {
    canonical(value).to_string()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// Whatever can be written comes back, in the same classes, and is written the same again.
    #[test]
    fn values_survive(bytes in vec(any::<u8>(), 0..400), references: bool) {
        let value = Dice::new(&bytes).element();
        let codec = plain().references(references);
        let payload = codec.encode(&value).unwrap();
        let back = codec.decode(payload.clone()).unwrap();
        prop_assert_eq!(fields_in_order(&back), fields_in_order(&value));
        prop_assert_eq!(back.class_name(), value.class_name());
        prop_assert_eq!(codec.encode(&back).unwrap(), payload);
    }
}
