//! `Kryo5Codec` against what Redisson wrote with its default codec.

use std::collections::BTreeSet;

use redisson_delayed_queue::codec::{Codec, Kryo5Codec};
use redisson_delayed_queue::java::JavaValue;

use crate::canonical::{canonical, same};
use crate::vectors::{Vector, of_codec, schema};

/// What does not come out as it went in, with the oldest version that writes these bytes.
#[derive(Debug, Default)]
struct Differences {
    rows: usize,
    /// Rows that cannot be read.
    unread: BTreeSet<(&'static str, &'static str)>,
    /// Rows of which the value is not the one that was recorded.
    other_value: BTreeSet<(&'static str, &'static str)>,
    /// Rows that are read, and written with other bytes or not at all.
    other_bytes: BTreeSet<(&'static str, &'static str)>,
}

/// The codec must take the whole payload: a byte left over is an error.
fn compare(codec: impl Fn(&Vector) -> Kryo5Codec, rows: &str) -> Differences {
    let mut differences = Differences::default();
    for vector in of_codec(rows) {
        differences.rows += 1;
        let key = (vector.id.as_str(), vector.redisson[0].as_str());
        let codec = codec(vector);
        let value = match codec.decode(vector.payload.clone()) {
            Ok(value) => value,
            Err(error) => {
                println!(
                    "{key:?}: {:?}",
                    std::error::Error::source(&error).map(|it| it.to_string())
                );
                differences.unread.insert(key);
                continue;
            }
        };
        let shown = canonical(&value);
        if !same(&shown, &vector.value) {
            println!("{key:?}: {shown}\n instead of {}", vector.value);
            differences.other_value.insert(key);
        }
        let written = codec.encode(&value);
        if written.as_ref().ok() != Some(&vector.payload) {
            println!("{key:?}: {written:?}");
            differences.other_bytes.insert(key);
        }
    }
    differences
}

fn plain() -> Kryo5Codec<JavaValue> {
    Kryo5Codec::with_schema(schema()).unwrap()
}

#[test]
fn payloads_match_redisson() {
    let found = compare(|_| plain(), "Kryo5Codec");
    assert_eq!(found.rows, 264);
    assert_eq!(found.unread, BTreeSet::from([]));
    assert_eq!(found.other_value, BTreeSet::from([]));
    assert_eq!(found.other_bytes, BTreeSet::from([]));
}

#[test]
fn payloads_with_references_match_redisson() {
    let found = compare(|_| plain().references(true), "Kryo5Codec(references)");
    assert_eq!(found.rows, 244);
    assert_eq!(found.unread, BTreeSet::from([]));
    assert_eq!(found.other_value, BTreeSet::from([]));
    assert_eq!(found.other_bytes, BTreeSet::from([]));
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
    assert_eq!(found.unread, BTreeSet::from([]));
    assert_eq!(found.other_value, BTreeSet::from([]));
    assert_eq!(found.other_bytes, BTreeSet::from([]));
}
