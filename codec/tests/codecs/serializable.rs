//! `SerializationCodec` and `MarshallingCodec` against what Redisson writes with them.

use redisson_codec::Codec;
use redisson_codec::java::JavaValue;

use crate::canonical::{canonical, same};
use crate::vectors::{self, Vector};

/// One of the two codecs, and what the vectors of that name show.
struct Case {
    name: &'static str,
    codec: Box<dyn Codec<JavaValue>>,
    vectors: usize,
    /// The vectors that only this codec writes with other bytes than Java, and why.
    written_otherwise: &'static [(&'static str, &'static str)],
}

fn cases() -> Vec<Case> {
    vec![
        #[cfg(feature = "serialization")]
        Case {
            name: "SerializationCodec",
            codec: Box::new(
                redisson_codec::SerializationCodec::with_schema(vectors::schema()).unwrap(),
            ),
            vectors: 228,
            written_otherwise: &[
                ("map.nested", SMALLER_TABLE),
                ("map.nested.mapof", SMALLER_TABLE),
                ("stringbuilder", "only read: the value has no capacity"),
                ("url", ONLY_READ),
            ],
        },
        #[cfg(feature = "marshalling")]
        Case {
            name: "MarshallingCodec",
            codec: Box::new(
                redisson_codec::MarshallingCodec::with_schema(vectors::schema()).unwrap(),
            ),
            vectors: 226,
            written_otherwise: &[
                ("list.of.unmodifiable", WRAPPED),
                ("map.conc", ONLY_READ),
                ("pojo.simple.unmodifiable", WRAPPED),
            ],
        },
    ]
}

const ONLY_READ: &str = "only read";
const SMALLER_TABLE: &str = "Java gives a copy of another map a smaller table";
const WRAPPED: &str = "only read: the value has no wrapper around a list or a map";
const NANOSECONDS: &str = "the value has milliseconds, Java has nanoseconds";

/// The vectors whose value is not shown as Java shows it, and why.
const SHOWN_OTHERWISE: [(&str, &str); 2] = [
    ("sql.timestamp", NANOSECONDS),
    (
        "zoneddatetime",
        "the value has no offset, the zone implies it",
    ),
];

/// The vectors that both codecs write with other bytes than Java, and why.
const WRITTEN_OTHERWISE: [(&str, &str); 13] = [
    ("calendar", ONLY_READ),
    ("list.synchronized", WRAPPED),
    ("list.unmodifiable", WRAPPED),
    ("map.atclass", SMALLER_TABLE),
    ("map.enumkeys", SMALLER_TABLE),
    ("map.hashmap", SMALLER_TABLE),
    ("map.linked", SMALLER_TABLE),
    ("map.of.unmodifiable", WRAPPED),
    ("map.pojo", SMALLER_TABLE),
    ("map.unmodifiable", WRAPPED),
    ("set.keyset", ONLY_READ),
    ("sql.timestamp", NANOSECONDS),
    ("zoneddatetime", "refused: the offset is not known"),
];

impl Case {
    fn all(&self) -> Vec<&'static Vector> {
        let all: Vec<_> = vectors::of_codec(self.name).collect();
        assert_eq!(all.len(), self.vectors);
        all
    }

    fn read(&self, vector: &Vector) -> JavaValue {
        self.codec.decode(vector.payload.clone()).unwrap()
    }
}

fn sorted<'a>(ids: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut ids: Vec<_> = ids.into_iter().collect();
    ids.sort_unstable();
    ids
}

#[test]
fn all_that_redisson_wrote_is_read() {
    for case in cases() {
        let all = case.all();
        let others = all.iter().filter(|vector| {
            let value = case.read(vector);
            let class = match &value {
                // The class of a constant with a body is one of the enum's own.
                JavaValue::Enum(constant) => vector.java_type.starts_with(&*constant.class),
                value => *value.class_name() == *vector.java_type,
            };
            assert!(class, "{}: {}", vector.id, value.class_name());
            !same(&canonical(&value), &vector.value)
        });
        assert_eq!(
            sorted(others.map(|it| it.id.as_str())),
            SHOWN_OTHERWISE.map(|(id, _)| id),
            "{}",
            case.name
        );
    }
}

#[test]
fn what_was_read_is_written_as_redisson_wrote_it() {
    for case in cases() {
        let all = case.all();
        let others = all.iter().filter(|vector| {
            let written = case.codec.encode(&case.read(vector));
            written.map_or(true, |payload| payload != vector.payload)
        });
        let expected = WRITTEN_OTHERWISE.iter().chain(case.written_otherwise);
        assert_eq!(
            sorted(others.map(|it| it.id.as_str())),
            sorted(expected.map(|(id, _)| *id)),
            "{}",
            case.name
        );
    }
}
