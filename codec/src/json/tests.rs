use std::collections::BTreeMap;
use std::fmt::Debug;

use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::*;

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Everything {
    zeta: Option<i64>,
    #[serde(rename = "URL")]
    url: String,
    _under: u8,
    list: Vec<Option<i32>>,
    map: BTreeMap<String, Option<bool>>,
    nothing: (),
    boxed: Option<Box<Everything>>,
}

fn encode<T: Serialize + DeserializeOwned + 'static>(value: &T) -> Result<String, Error> {
    let payload = TypedJsonJacksonCodec::new().encode(value)?;
    Ok(String::from_utf8(payload.to_vec()).unwrap())
}

fn assert_survives<T>(value: T, json: &str)
where
    T: Serialize + DeserializeOwned + PartialEq + Debug + 'static,
{
    assert_eq!(encode(&value).unwrap(), json);
    let back: T = TypedJsonJacksonCodec::new()
        .decode(json.to_owned().into())
        .unwrap();
    assert_eq!(back, value);
}

proptest! {
    /// Needs serde_json's feature `float_roundtrip`: without it numbers come back a little off.
    #[test]
    fn every_finite_double_survives(number in any::<f64>()) {
        let json = encode(&number).unwrap();
        let back: f64 = TypedJsonJacksonCodec::new().decode(json.into()).unwrap();
        prop_assert_eq!(back.to_bits(), number.to_bits());
    }

    /// All of Unicode comes back, whether it was escaped or not.
    #[test]
    fn every_text_survives(text: String) {
        let json = encode(&text).unwrap();
        let back: String = TypedJsonJacksonCodec::new().decode(json.into()).unwrap();
        prop_assert_eq!(back, text);
    }
}

/// Alphabetical means by UTF-16: upper case, underscore, lower case.
#[test]
fn properties_are_sorted_and_nulls_left_out() {
    let value = Everything {
        url: "u".to_owned(),
        list: vec![Some(1), None],
        boxed: Some(Box::default()),
        ..Everything::default()
    };

    assert_survives(
        value,
        r#"{"URL":"u","_under":0,"boxed":{"URL":"","_under":0,"list":[],"map":{}},"list":[1,null],"map":{}}"#,
    );
}

/// Jackson leaves out null map values too, wherever they stand, and not the text "null".
#[test]
fn null_map_values_are_left_out() {
    let entries = ["a", "b", "c", "d"].map(|key| (key, (key > "b").then_some(key)));
    let map =
        BTreeMap::from(entries.map(|(key, value)| (key.to_owned(), value.map(str::to_owned))));

    assert_eq!(encode(&map).unwrap(), r#"{"c":"c","d":"d"}"#);
    assert_survives("null".to_owned(), r#""null""#);
}

/// `toString` of an Integer, Boolean or enum key is what serde gives, in quotes.
#[test]
fn map_keys_become_text() {
    assert_survives(BTreeMap::from([(-5, 'x')]), r#"{"-5":"x"}"#);
    assert_survives(BTreeMap::from([(true, 1)]), r#"{"true":1}"#);

    let error = encode(&BTreeMap::from([((1, 2), 3)])).unwrap_err();
    assert_eq!(
        error.cause().unwrap().to_string(),
        "a map key is no text, integer or boolean"
    );
}

/// Java's enums are their names; the others only have to survive.
#[test]
fn enums_survive() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Event {
        Paid,
        Note(String),
        Move(i32, i32),
        Price { to: f64, at: Option<i64> },
    }

    assert_survives(Event::Paid, r#""Paid""#);
    assert_survives(Event::Note("n".to_owned()), r#"{"Note":"n"}"#);
    assert_survives(Event::Move(1, -1), r#"{"Move":[1,-1]}"#);
    assert_survives(
        Event::Price { to: 1.0, at: None },
        r#"{"Price":{"to":1.0}}"#,
    );
}

/// A BigInteger is plain digits and fits 128 bits more often than 64.
#[test]
fn large_integers_survive() {
    assert_survives(1_i128 << 70, "1180591620717411303424");
    assert_survives(u64::MAX, "18446744073709551615");
}

/// Without `float_roundtrip` this one reads back as its neighbour, in every run.
#[test]
fn double_that_is_hard_to_read_survives() {
    assert_survives(-2.1491115420138197e74, "-2.1491115420138197E74");
}

/// serde_json would write null, and the number would silently be gone.
#[test]
fn numbers_that_json_lacks_are_refused() {
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let error = encode(&vec![number]).unwrap_err();
        assert_eq!(error.reason(), "value cannot be written as JSON");
        assert!(encode(&(number as f32)).is_err());
    }
}

/// Redisson 4.7.0 reads texts and names of these lengths, and none of one more.
#[test]
fn texts_and_names_that_java_does_not_read_are_refused() {
    let refused = |error: Error| error.cause().unwrap().to_string();
    let text = "k".repeat(20_000_001);
    encode(&text[1..].to_owned()).unwrap();
    assert_eq!(
        refused(encode(&text).unwrap_err()),
        "expected a text of 20000000 UTF-16 units at most, found one of 20000001"
    );
    let keyed = |key: &str| BTreeMap::from([(key.to_owned(), 1)]);
    encode(&keyed(&text[..50_000])).unwrap();
    assert_eq!(
        refused(encode(&keyed(&text[..50_001])).unwrap_err()),
        "expected a name of 50000 bytes at most, found one of 50001"
    );
}

/// Java would get null for it, which means that there is no value.
#[test]
fn null_alone_is_refused() {
    assert_eq!(
        encode(&None::<i32>).unwrap_err().reason(),
        "null has no payload"
    );
}

/// The position in the payload is what one needs to find the fault.
#[test]
fn wrong_json_is_refused_with_its_position() {
    let codec = TypedJsonJacksonCodec::<Everything>::new();
    let error = codec
        .decode(Bytes::from_static(b"{\"zeta\":\"x\"}"))
        .unwrap_err();

    assert_eq!(error.reason(), "payload is not JSON of the expected type");
    assert!(
        error
            .cause()
            .unwrap()
            .to_string()
            .ends_with("line 1 column 11")
    );
}

/// A Java class may have gained properties that this side does not know yet.
#[test]
fn unknown_properties_are_ignored() {
    let codec = TypedJsonJacksonCodec::<Everything>::new();
    let value = codec
        .decode(Bytes::from_static(b"{\"@class\":\"x.Y\",\"zeta\":1}"))
        .unwrap();

    assert_eq!(value.zeta, Some(1));
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Ids {
    id: Uuid,
    ids: Vec<Uuid>,
    #[serde(rename = "byId")]
    by_id: BTreeMap<Uuid, Option<Uuid>>,
    name: String,
}

/// Redisson 4.3.1 wrote the first text, Redisson 4.7.0 the second, and neither reads the other's.
#[test]
fn uuids_match_either_form_of_jackson() {
    let id = Uuid::from_u128(1 << 64 | 2);
    let ids = Ids {
        id,
        ids: vec![id],
        by_id: BTreeMap::from([(id, Some(id))]),
        name: id.to_string(),
    };
    let tagged = r#"{"byId":{"00000000-0000-0001-0000-000000000002":["java.util.UUID","00000000-0000-0001-0000-000000000002"]},"id":["java.util.UUID","00000000-0000-0001-0000-000000000002"],"ids":[["java.util.UUID","00000000-0000-0001-0000-000000000002"]],"name":"00000000-0000-0001-0000-000000000002"}"#;
    let plain = r#"{"byId":{"00000000-0000-0001-0000-000000000002":"00000000-0000-0001-0000-000000000002"},"id":"00000000-0000-0001-0000-000000000002","ids":["00000000-0000-0001-0000-000000000002"],"name":"00000000-0000-0001-0000-000000000002"}"#;
    let codec = TypedJsonJacksonCodec::<Ids>::new();
    assert_eq!(codec.tagged_uuids(true).encode(&ids).unwrap(), tagged);
    assert_eq!(codec.encode(&ids).unwrap(), plain);
    for json in [tagged, plain] {
        assert_eq!(codec.decode(json.into()).unwrap(), ids);
    }
    let root = TypedJsonJacksonCodec::<Uuid>::new().tagged_uuids(true);
    let json = r#"["java.util.UUID","00000000-0000-0001-0000-000000000002"]"#;
    assert_eq!(root.encode(&id).unwrap(), json);
    assert_eq!(root.decode(json.into()).unwrap(), id);

    // Texts that only look like it stay.
    let texts = vec!["java.util.UUID".to_owned(), id.to_string()];
    assert_survives(texts, json);
    // The place in an error is that in the payload.
    let broken = tagged.replace(r#","name":""#, r#","name":5,"x":""#);
    let column = broken.find(":5,").unwrap() + 2;
    let error = codec.decode(broken.into()).unwrap_err();
    let source = error.cause().unwrap().to_string();
    assert!(source.ends_with(&format!("column {column}")), "{source}");
}

/// As serde_json serializes a `Number` with its feature `arbitrary_precision`, and a `RawValue`.
#[test]
fn json_that_serde_json_hands_over_is_written_as_it_is() {
    struct Bare(&'static str, &'static str);

    impl Serialize for Bare {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            use serde::ser::SerializeStruct;
            let mut bare = serializer.serialize_struct(self.0, 1)?;
            bare.serialize_field(self.0, self.1)?;
            bare.end()
        }
    }

    let written = |value: &BTreeMap<&str, Bare>| {
        let payload = writer::payload(value, false).unwrap();
        String::from_utf8(payload.to_vec()).unwrap()
    };
    let number = || Bare("$serde_json::private::Number", "1.50");
    let raw = |text| Bare("$serde_json::private::RawValue", text);
    let all = BTreeMap::from([
        ("a", number()),
        ("b", raw(r#"{"c":"\""}"#)),
        ("d", raw("null")),
    ]);
    assert_eq!(written(&all), r#"{"a":1.50,"b":{"c":"\""}}"#);
}
