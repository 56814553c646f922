//! `SerializationCodec` against what Redisson writes with the codec of that name.

use bytes::Bytes;
use proptest::prelude::*;
use redisson_codec::java::JavaValue;
use redisson_codec::{Codec, SerializationCodec};

use crate::canonical::{canonical, same};
use crate::vectors::{self, Vector};

/// Vectors whose value is not shown as Java shows it, and why.
const SHOWN_OTHERWISE: [(&str, &str); 2] = [
    (
        "sql.timestamp",
        "a date has milliseconds, this has nanoseconds",
    ),
    (
        "zoneddatetime",
        "the value has no offset, the zone implies it",
    ),
];

/// Vectors that are not written byte for byte as Java writes them, and why.
const WRITTEN_OTHERWISE: [(&str, &str); 17] = [
    ("calendar", "only read"),
    (
        "list.synchronized",
        "only read: the list in the wrapper has no place",
    ),
    (
        "list.unmodifiable",
        "only read: the list in the wrapper has no place",
    ),
    ("map.atclass", "a copy of another map has a smaller table"),
    ("map.enumkeys", "a copy of another map has a smaller table"),
    ("map.hashmap", "a copy of another map has a smaller table"),
    ("map.linked", "a copy of another map has a smaller table"),
    ("map.nested", "a copy of another map has a smaller table"),
    (
        "map.nested.mapof",
        "a copy of another map has a smaller table",
    ),
    (
        "map.of.unmodifiable",
        "only read: the list in the wrapper has no place",
    ),
    ("map.pojo", "a copy of another map has a smaller table"),
    (
        "map.unmodifiable",
        "only read: the map in the wrapper has no place",
    ),
    ("set.keyset", "only read"),
    (
        "sql.timestamp",
        "a date has milliseconds, this has nanoseconds",
    ),
    ("stringbuilder", "only read: its capacity has no place"),
    ("url", "only read"),
    ("zoneddatetime", "refused: the offset is not known"),
];

fn codec() -> SerializationCodec {
    SerializationCodec::with_schema(vectors::schema()).unwrap()
}

fn all() -> Vec<&'static Vector> {
    let all: Vec<_> = vectors::of_codec("SerializationCodec").collect();
    assert_eq!(all.len(), 228);
    all
}

fn ids<'a>(vectors: impl IntoIterator<Item = &'a &'static Vector>) -> Vec<&'static str> {
    let mut ids: Vec<_> = vectors.into_iter().map(|it| it.id.as_str()).collect();
    ids.sort_unstable();
    ids
}

#[test]
fn all_that_redisson_wrote_is_read() {
    let all = all();
    let others = all.iter().filter(|vector| {
        let value: JavaValue = codec().decode(vector.payload.clone()).unwrap();
        let class = match &value {
            // The class of a constant with a body is one of the enum's own.
            JavaValue::Enum(constant) => vector.java_type.starts_with(&*constant.class),
            value => *value.class_name() == *vector.java_type,
        };
        assert!(class, "{}: {}", vector.id, value.class_name());
        !same(&canonical(&value), &vector.value)
    });
    assert_eq!(ids(others), SHOWN_OTHERWISE.map(|(id, _)| id));
}

#[test]
fn what_was_read_is_written_as_redisson_wrote_it() {
    let all = all();
    let others = all.iter().filter(|vector| {
        let value = codec().decode(vector.payload.clone()).unwrap();
        codec()
            .encode(&value)
            .map_or(true, |payload| payload != vector.payload)
    });
    assert_eq!(ids(others), WRITTEN_OTHERWISE.map(|(id, _)| id));
}

proptest! {
    /// Bytes of a payload changed, left out or doubled: an error or a value, which is then written
    /// or refused, and never a panic.
    #[test]
    fn damaged_payloads_are_read_or_refused(
        vector in 0..228_usize,
        at: prop::sample::Index,
        bytes in prop::collection::vec(any::<u8>(), 0..4),
        removed in 0..4_usize,
    ) {
        let mut payload = all()[vector].payload.to_vec();
        let at = at.index(payload.len());
        let end = (at + removed).min(payload.len());
        payload.splice(at..end, bytes);
        if let Ok(value) = codec().decode(Bytes::from(payload)) {
            let _ = codec().encode(&value);
        }
    }
}
