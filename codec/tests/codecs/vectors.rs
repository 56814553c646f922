//! The rows of `interop/vectors/payloads.jsonl` and of `jackson.jsonl` there, and the classes that
//! they hold.

use std::sync::LazyLock;

use bytes::Bytes;
use redisson_codec::java::Schema;
use serde::Deserialize;
use serde_json::Value;

const ROWS: &str = include_str!("../../../interop/vectors/payloads.jsonl");
const LONG: &str = include_str!("../../../interop/vectors/jackson.jsonl");
const SCHEMA: &str = include_str!("../../../interop/vectors/schema.json");

/// One payload, and what Redisson wrote as it.
pub(crate) struct Vector {
    pub(crate) id: String,
    /// The versions that write exactly these bytes, oldest first. ` --add-opens` after a version
    /// stands for what it does on Java 8.
    pub(crate) redisson: Vec<String>,
    pub(crate) java_type: String,
    /// In the form of [`canonical`](crate::canonical::canonical).
    pub(crate) value: Value,
    pub(crate) payload: Bytes,
    /// What Redisson makes of its own bytes, if that is no equal value of the same class.
    pub(crate) roundtrip: Option<Value>,
}

impl Vector {
    /// True if this version, such as `4.7.0`, writes the payload.
    pub(crate) fn is_of(&self, version: &str) -> bool {
        self.redisson.iter().any(|it| it == version)
    }
}

/// Every class of the vectors.
pub(crate) fn schema() -> Schema {
    Schema::from_json(SCHEMA).unwrap()
}

/// All payloads of a codec, named as in the rows: `Kryo5Codec(references)`.
pub(crate) fn of_codec(codec: &str) -> impl Iterator<Item = &'static Vector> {
    static ALL: LazyLock<Vec<(String, Vector)>> =
        LazyLock::new(|| ROWS.lines().chain(LONG.lines()).map(row).collect());
    ALL.iter()
        .filter(move |(of, _)| of == codec)
        .map(|(_, vector)| vector)
}

fn row(line: &str) -> (String, Vector) {
    #[derive(Deserialize)]
    struct Row {
        redisson: Vec<String>,
        codec: String,
        java_type: String,
        id: String,
        value_as_json: Value,
        payload_hex: String,
        // Without a default, `null` would count as absent.
        #[serde(default, deserialize_with = "present")]
        roundtrip: Option<Value>,
    }

    fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
        Value::deserialize(from).map(Some)
    }

    let row: Row = serde_json::from_str(&without_half_pairs(line)).unwrap();
    let vector = Vector {
        id: row.id,
        redisson: row.redisson,
        java_type: row.java_type,
        value: row.value_as_json,
        payload: unhex(&row.payload_hex),
        roundtrip: row.roundtrip,
    };
    (row.codec, vector)
}

/// Turns half a surrogate pair, which is no JSON for serde, into text: `\ud800` becomes `\\ud800`.
///
/// [`canonical`](crate::canonical::canonical) shows such a half in the same way.
fn without_half_pairs(line: &str) -> String {
    let unit = |at: usize| -> Option<u16> {
        let digits = line.get(at..)?.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut out = String::with_capacity(line.len());
    let mut at = 0;
    while at < line.len() {
        let is_high = |it: u16| (0xd800..0xdc00).contains(&it);
        let is_low = |it: u16| (0xdc00..0xe000).contains(&it);
        let length = match unit(at) {
            Some(first) if is_high(first) && unit(at + 6).is_some_and(is_low) => 12,
            Some(first) if is_high(first) || is_low(first) => {
                out.push('\\');
                6
            }
            // An escape is taken whole, or the second backslash of `\\` would begin another.
            _ if line[at..].starts_with('\\') => 2,
            _ => line[at..].chars().next().map_or(1, char::len_utf8),
        };
        out.push_str(&line[at..at + length]);
        at += length;
    }
    out
}

pub(crate) fn unhex(hex: &str) -> Bytes {
    (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
        .collect()
}

/// The rows would be useless if they were read wrong.
#[test]
fn rows_are_read() {
    assert_eq!(of_codec("Kryo5Codec").count(), 264);
    assert_eq!(of_codec("Kryo5Codec(references)").count(), 244);
    assert_eq!(of_codec("Kryo5Codec(allowed)").count(), 37);
    let lone = of_codec("Kryo5Codec")
        .find(|it| it.id == "str.lonesurrogate")
        .unwrap();
    assert_eq!(lone.value, "x\\ud800y");
    assert!(schema().contains("com.example.orders.Deep"));
    assert!(lone.is_of("4.7.0") && !lone.is_of("4.8.0"));
    assert_eq!(without_half_pairs(r"\\ud800"), r"\\ud800");
    assert_eq!(without_half_pairs(r"\ud83d\ude80é"), r"\ud83d\ude80é");
    assert_eq!(without_half_pairs(r"\ude80"), r"\\ude80");
}
