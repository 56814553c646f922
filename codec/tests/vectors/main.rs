//! Payloads that real Redisson wrote, see `interop/vectors/README.md`.

use std::collections::BTreeMap;

use bytes::Bytes;
use redisson_codec::{ByteArrayCodec, Codec, LongCodec, StringCodec, TypedJsonJacksonCodec};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::classes::{Address, Cyrillic, Node, OrderRecord, Shadow, SimpleOrder, Status};
use crate::ordered::Json;

mod classes;
mod ordered;

const VECTORS: &str = include_str!("../../../interop/vectors/redisson.jsonl");

/// The payload is the value that the capture recorded. What was no String was written as one.
#[test]
fn string_codec_matches_redisson() {
    let mut values = 0;
    for vector in of_codec("StringCodec") {
        let text = StringCodec.decode(vector.payload.clone()).unwrap();
        assert_eq!(
            StringCodec.encode(&text).unwrap(),
            vector.payload,
            "{}",
            vector.id
        );
        // Java held half a surrogate pair and wrote "?" for it: no Rust string is that value.
        if vector.java_type == "java.lang.String" && vector.id != "str.lonesurrogate" {
            assert_eq!(text, vector.text(), "{}", vector.id);
            values += 1;
        }
    }
    assert_eq!(values, 25);
}

/// Negative numbers, the limits of 64 bits, and what was an Integer in Java.
#[test]
fn long_codec_matches_redisson() {
    let mut values = 0;
    for vector in of_codec("LongCodec") {
        let number = LongCodec.decode(vector.payload.clone()).unwrap();
        assert_eq!(
            LongCodec.encode(&number).unwrap(),
            vector.payload,
            "{}",
            vector.id
        );
        let (_, written) = vector.id.split_once('.').unwrap();
        assert_eq!(number.to_string(), written);
        values += 1;
    }
    assert_eq!(values, 10);
}

/// One vector, and both value types of the codec.
#[test]
fn byte_array_codec_matches_redisson() {
    let [vector] = <[Vector; 1]>::try_from(of_codec("ByteArrayCodec"))
        .ok()
        .unwrap();
    let value: Vec<u8> = ByteArrayCodec.decode(vector.payload.clone()).unwrap();

    assert_eq!(value, [0x00, 0x01, 0x02, 0x7f, 0x80, 0xff]);
    assert_eq!(ByteArrayCodec.encode(&value).unwrap(), vector.payload);
    assert_eq!(
        ByteArrayCodec.encode(&vector.payload).unwrap(),
        vector.payload
    );
}

/// The text of every value: strings, numbers, and nulls in lists, in the order that Java wrote.
#[test]
fn json_text_matches_redisson() {
    // Half a surrogate pair is no Rust string. The others hold a BigDecimal, which no double prints
    // like, or a BigInteger, which needs its own type (see `json_of_scalars_matches_redisson`).
    let beyond_rust = [
        "str.lonesurrogate",
        "decimal.0.00",
        "decimal.1E-20",
        "decimal.big",
        "bigint.2^70",
        "list.mixed",
        "pojo.holder",
    ];

    let mut differing = Vec::new();
    for vector in of_codec("TypedJsonJacksonCodec") {
        let codec = TypedJsonJacksonCodec::<Json>::new();
        let again = codec
            .decode(vector.payload.clone())
            .and_then(|value| codec.encode(&value));
        if again.ok() != Some(vector.payload) {
            differing.push(vector.id);
        }
    }
    differing.dedup();
    assert_eq!(differing, beyond_rust);
}

/// A class as most are: all kinds of fields, some absent.
#[test]
fn json_of_simple_order_matches_redisson() {
    assert_json::<SimpleOrder>("pojo.simple");
    assert_json::<SimpleOrder>("pojo.simple.aslist");
    assert_json::<SimpleOrder>("pojo.simple.immutable");
    assert_json::<Vec<Option<Address>>>("arr.Address");
    assert_json::<Node>("pojo.node.shared");
}

/// Only primitive fields are left when everything else is null.
#[test]
fn json_of_record_matches_redisson() {
    assert_json::<OrderRecord>("record");
    assert_json::<OrderRecord>("record.nulls");
}

/// Upper case before underscore before lower case, and not in the order of declaration.
#[test]
fn property_order_matches_redisson() {
    assert_json::<Shadow>("pojo.shadow");
    assert_json::<Cyrillic>("pojo.cyrillic");
}

/// The numbers and texts that Rust types hold exactly.
#[test]
fn json_of_scalars_matches_redisson() {
    for double in [
        "1e300",
        "1e7",
        "9.99e-4",
        "min",
        "2^53",
        "123456789.125",
        "19.99",
    ] {
        assert_json::<f64>(&format!("double.{double}"));
    }
    assert_json::<f32>("float.1.5");
    assert_json::<i64>("long.-9223372036854775808");
    assert_json::<i128>("bigint.2^70");
    assert_json::<bool>("bool.false");
    assert_json::<char>("char.cjk");
    assert_json::<String>("str.escapes");
    assert_json::<Status>("enum");
    assert_json::<BTreeMap<Status, i32>>("map.enumkeys");
}

fn assert_json<T: Serialize + DeserializeOwned + 'static>(id: &str) {
    let mut vectors = of_codec("TypedJsonJacksonCodec");
    // Redisson 3.21.1 writes `{}` for every record (its Jackson had a bug), so it knows two of them.
    vectors.retain(|vector| vector.id == id && vector.payload != "{}");
    let [vector] = &vectors[..] else {
        panic!("{} vectors of {id}", vectors.len());
    };

    let codec = TypedJsonJacksonCodec::<T>::new();
    let value = codec.decode(vector.payload.clone()).expect(id);
    assert_eq!(codec.encode(&value).expect(id), vector.payload, "{id}");
}

struct Vector {
    codec: String,
    id: String,
    java_type: String,
    payload: Bytes,
    line: &'static str,
}

impl Vector {
    /// The value of a String. Read apart, because half a surrogate pair cannot be read.
    fn text(&self) -> String {
        #[derive(Deserialize)]
        struct Line {
            value_as_json: String,
        }

        let line: Line = serde_json::from_str(self.line).expect("value is a string");
        line.value_as_json
    }
}

fn of_codec(codec: &str) -> Vec<Vector> {
    vectors().filter(|vector| vector.codec == codec).collect()
}

fn vectors() -> impl Iterator<Item = Vector> {
    #[derive(Deserialize)]
    struct Line {
        codec: String,
        id: String,
        java_type: String,
        payload_hex: String,
    }

    VECTORS.lines().map(|line| {
        let read: Line = serde_json::from_str(line).expect("line is a vector");
        Vector {
            codec: read.codec,
            id: read.id,
            java_type: read.java_type,
            payload: hex(&read.payload_hex),
            line,
        }
    })
}

fn hex(digits: &str) -> Bytes {
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("two hex digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}
