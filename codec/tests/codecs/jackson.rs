//! `JsonJacksonCodec` and `JsonJackson3Codec` against what Redisson wrote with them.
//!
//! Java writes some roots in a form that it reads back as another class, or not at all. Their value
//! is read here from the form that the codec writes instead; that Redisson 3.17.7, 3.23.4 and 4.7.0
//! read that form as the class was checked with their codecs.

use bytes::Bytes;
use redisson_codec::java::JavaValue;
use redisson_codec::{Codec, JsonJackson3Codec, JsonJacksonCodec};
use serde_json::Value;

use crate::canonical::{canonical, same};
use crate::vectors::{Vector, of_codec, schema};

type DynCodec = Box<dyn Codec<JavaValue>>;

#[test]
fn json_jackson_matches_redisson() {
    let codec = |vector: &Vector| {
        let codec = JsonJacksonCodec::with_schema(schema()).unwrap();
        codec.tagged_uuids(vector.redisson[0] == "4.7.0")
    };
    let outcome = check("JsonJacksonCodec", |vector| {
        let codec = codec(vector);
        (Box::new(codec.clone()), Box::new(codec.bare_roots(true)))
    });
    assert_eq!(
        outcome.misread,
        [
            // The note of the vector is cut off in the middle of a map.
            "map.70",
            // A field of a super class with the name of one of the sub class is not written.
            "pojo.shadow",
            // Jackson does not write the bits.
            "bitset",
        ]
    );
    assert_eq!(
        outcome.miswritten,
        [
            // Not supported: all that Java writes is whether there is a value.
            "optional",
            "optional.empty",
            "bitset",
            // Java does not read the class, only the text.
            "inet",
            "entry",
            // Redisson 3.21.1 writes every record as `{}`.
            "record",
            "record.nulls",
            // They hold an Optional.
            "pojo.holder",
            "pojo.deep",
        ]
    );
    assert_eq!((outcome.read, outcome.written), (227, 221));
}

#[test]
fn json_jackson_with_java_time_matches_redisson() {
    let outcome = check("JsonJacksonCodec(JavaTimeModule)", |vector| {
        let codec = JsonJacksonCodec::with_schema(schema()).unwrap();
        let codec = codec
            .java_time(true)
            .tagged_uuids(vector.redisson[0] == "4.7.0");
        (Box::new(codec.clone()), Box::new(codec.bare_roots(true)))
    });
    assert_eq!(outcome.misread, ["map.70", "pojo.shadow", "bitset"]);
    assert_eq!(
        outcome.miswritten,
        [
            // Jackson before 2.21 writes -1.000000005 for the second before 1970 and 5 ns.
            "instant.neg",
            // Only the instant is written, so it comes back with the offset of Greenwich.
            "offsetdatetime",
            "optional",
            "optional.empty",
            "bitset",
            "inet",
            "entry",
            "record.nulls",
        ]
    );
    assert_eq!((outcome.read, outcome.written), (248, 243));
}

#[test]
fn json_jackson3_matches_redisson() {
    let outcome = check("JsonJackson3Codec", |_| {
        let codec = JsonJackson3Codec::with_schema(schema()).unwrap();
        let codec = codec
            .creator("com.example.orders.Address", ["street", "city", "zip"])
            .creator("com.example.orders.Box", ["value", "label"])
            .creator("com.example.orders.Node", ["name", "left", "right"])
            // The first parameter is called `id`, and there is no such property.
            .creator(
                "com.example.orders.PaymentEvent",
                ["version", "amount", "zone"],
            )
            .creator("com.example.orders.StringBox", ["extra"]);
        (Box::new(codec.clone()), Box::new(codec.bare_roots(true)))
    });
    assert_eq!(
        outcome.misread,
        [
            // Jackson 3 asks the getter, and so writes the field of the super class.
            "pojo.shadow",
            "bitset",
        ]
    );
    assert_eq!(
        outcome.miswritten,
        [
            // The zone is written as its offset of that day.
            "zoneddatetime",
            "bitset",
            "inet",
            "entry",
        ]
    );
    assert_eq!((outcome.read, outcome.written), (243, 241));
}

/// What no other row has: `Optional` aside, each class of field in one object.
#[test]
fn long_payloads_match_redisson() {
    let codec = JsonJacksonCodec::<JavaValue>::with_schema(schema()).unwrap();
    let codec = codec.tagged_uuids(false);
    let mut checked = 0;
    for vector in of_codec("JsonJacksonCodec").filter(|it| it.payload.len() > 1500) {
        let mut text = str::from_utf8(&vector.payload).unwrap().to_owned();
        for optional in [
            r#""opt":{"empty":false,"present":true},"#,
            r#""optList":{"empty":false,"present":true},"#,
            r#""opts":["java.util.ArrayList",[{"empty":false,"present":true},{"empty":true,"present":false}]],"#,
        ] {
            text = text.replace(optional, "");
        }
        let value = codec.decode(text.clone().into()).unwrap();
        assert_eq!(codec.encode(&value).unwrap(), text);
        checked += 1;
    }
    assert_eq!(checked, 2);
}

#[cfg(feature = "cbor")]
#[test]
fn cbor_jackson_matches_redisson() {
    use redisson_codec::CborJacksonCodec;

    let outcome = check_binary("CborJacksonCodec", |vector| {
        let codec = CborJacksonCodec::with_schema(schema()).unwrap();
        let codec = codec.tagged_uuids(vector.redisson[0] == "4.7.0");
        (Box::new(codec.clone()), Box::new(codec.bare_roots(true)))
    });
    assert_eq!(outcome.misread, NONE);
    assert_eq!(outcome.miswritten, ["optional", "record"]);
    assert_eq!((outcome.read, outcome.written), (51, 49));
}

#[cfg(feature = "msgpack")]
#[test]
fn msgpack_jackson_matches_redisson() {
    use redisson_codec::MsgPackJacksonCodec;

    let outcome = check_binary("MsgPackJacksonCodec", |vector| {
        let codec = MsgPackJacksonCodec::with_schema(schema()).unwrap();
        let codec = codec.tagged_uuids(vector.redisson[0] == "4.7.0");
        (Box::new(codec.clone()), Box::new(codec.bare_roots(true)))
    });
    assert_eq!(outcome.misread, NONE);
    assert_eq!(outcome.miswritten, ["optional"]);
    assert_eq!((outcome.read, outcome.written), (45, 44));
}

#[cfg(feature = "smile")]
#[test]
fn smile_jackson_matches_redisson() {
    use redisson_codec::SmileJacksonCodec;

    let outcome = check_binary("SmileJacksonCodec", |vector| {
        let codec = SmileJacksonCodec::with_schema(schema()).unwrap();
        let codec = codec.tagged_uuids(vector.redisson[0] == "4.7.0");
        (Box::new(codec.clone()), Box::new(codec.bare_roots(true)))
    });
    assert_eq!(outcome.misread, NONE);
    assert_eq!(outcome.miswritten, ["optional", "record"]);
    assert_eq!((outcome.read, outcome.written), (47, 45));
}

#[cfg(any(feature = "cbor", feature = "msgpack", feature = "smile"))]
const NONE: [&str; 0] = [];

/// Reads each row, and writes its value as JSON has it.
#[cfg(any(feature = "cbor", feature = "msgpack", feature = "smile"))]
fn check_binary(name: &str, codecs: impl Fn(&Vector) -> (DynCodec, DynCodec)) -> Outcome {
    let json = JsonJacksonCodec::<JavaValue>::with_schema(schema()).unwrap();
    let mut outcome = Outcome::default();
    for vector in of_codec(name) {
        let (codec, bare) = codecs(vector);
        match read(&*codec, vector) {
            Ok(()) => outcome.read += 1,
            Err(why) => {
                println!("{name} {} is read wrong: {why}", vector.id);
                outcome.misread.push(&vector.id);
            }
        }
        let mut rows =
            of_codec("JsonJacksonCodec").chain(of_codec("JsonJacksonCodec(JavaTimeModule)"));
        let row = rows.find(|it| it.id == vector.id && it.payload != "{}");
        let value = match row {
            Some(row) => json.decode(readable(row).unwrap_or(row.payload.clone())),
            None => codec.decode(vector.payload.clone()),
        };
        let written = value.map_err(report).and_then(|value| {
            let again = codec.encode(&value).and_then(|it| codec.decode(it));
            // A MessagePack double has no zeros at its end.
            if again.clone().map_err(report)? != value && vector.id != "decimal.123.4500" {
                return Err(format!("{again:?} instead of {value:?}"));
            }
            bare.encode(&value).map_err(report)
        });
        match written {
            Ok(written) if written == vector.payload => outcome.written += 1,
            other => {
                println!(
                    "{name} {}: {other:x?} instead of {:x?}",
                    vector.id, vector.payload
                );
                outcome.miswritten.push(&vector.id);
            }
        }
    }
    outcome
}

/// How the rows of a codec fared.
#[derive(Default)]
struct Outcome {
    read: usize,
    misread: Vec<&'static str>,
    written: usize,
    miswritten: Vec<&'static str>,
}

/// Reads and writes each row with a codec, and with one that writes bare roots.
fn check(name: &str, codecs: impl Fn(&Vector) -> (DynCodec, DynCodec)) -> Outcome {
    let mut outcome = Outcome::default();
    for vector in of_codec(name) {
        let (codec, bare) = codecs(vector);
        match read(&*codec, vector) {
            Ok(()) => outcome.read += 1,
            Err(why) => {
                println!("{name} {} is read wrong: {why}", vector.id);
                outcome.misread.push(&vector.id);
            }
        }
        match write(&*codec, &*bare, vector) {
            Ok(()) => outcome.written += 1,
            Err(why) => {
                println!("{name} {} is written wrong: {why}", vector.id);
                outcome.miswritten.push(&vector.id);
            }
        }
    }
    outcome
}

/// Reads the payload as Redisson does, but for what Redisson cannot read.
fn read(codec: &dyn Codec<JavaValue>, vector: &Vector) -> Result<(), String> {
    let note = vector.roundtrip.as_ref().map(|it| it.as_str().unwrap());
    let (class, expected) = match note.map(|it| it.split_once(' ').unwrap()) {
        None => (vector.java_type.as_str(), vector.value.clone()),
        Some(("decode", _)) => return Ok(()),
        // Redisson turns it into another list. What is read here is written again as it was.
        Some(("class", _)) if vector.java_type == "java.util.Arrays$ArrayList" => {
            (vector.java_type.as_str(), vector.value.clone())
        }
        Some(("class", class)) => (class, vector.value.clone()),
        Some((_, value)) => {
            let (class, json) = value.split_once(' ').unwrap();
            // A long one is cut off.
            let json = serde_json::from_str(json).unwrap_or(Value::String(json.to_owned()));
            (class, json)
        }
    };
    let value = codec.decode(vector.payload.clone()).map_err(report)?;
    if value.class_name() != class && class != "null" {
        return Err(format!("{} instead of {class}", value.class_name()));
    }
    if class == "java.util.BitSet" {
        return Err("no bits".to_owned());
    }
    let found = canonical(&value);
    // A note that was cut off is no JSON.
    let note_of = expected.as_str().unwrap_or_default();
    let cut = note_of.starts_with(['"', '{', '[']) && found.to_string().starts_with(note_of);
    if !cut && !same(&found, &expected) {
        return Err(format!("{found} instead of {expected}"));
    }
    Ok(())
}

/// Writes the value in the readable form and, as Redisson does, bare.
fn write(
    codec: &dyn Codec<JavaValue>,
    bare: &dyn Codec<JavaValue>,
    vector: &Vector,
) -> Result<(), String> {
    let readable = readable(vector);
    let value = codec
        .decode(readable.clone().unwrap_or(vector.payload.clone()))
        .map_err(report)?;
    if readable.is_some() && !same(&canonical(&value), &vector.value) {
        return Err(format!("{value:?}"));
    }
    let expected = readable.as_ref().unwrap_or(&vector.payload);
    let written = codec.encode(&value).map_err(report)?;
    if written != expected {
        return Err(format!("{written:?} instead of {expected:?}"));
    }
    let written = bare.encode(&value).map_err(report)?;
    if written != vector.payload {
        return Err(format!("{written:?} instead of {:?}", vector.payload));
    }
    Ok(())
}

/// The payload of a root that Java leaves without its class, with the class.
fn readable(vector: &Vector) -> Option<Bytes> {
    vector.roundtrip.as_ref()?;
    let payload = str::from_utf8(&vector.payload).unwrap();
    let tags = [r#"{"@class""#, r#"["java."#, r#"["com."#, r#"["[L"#];
    if tags.iter().any(|tag| payload.starts_with(tag)) {
        return None;
    }
    let class = match vector.java_type.as_str() {
        "com.example.orders.Priority$2" => "com.example.orders.Priority",
        "java.time.ZoneRegion" => "java.time.ZoneId",
        class => class,
    };
    let readable = match payload.strip_prefix('{') {
        Some("}") => format!(r#"{{"@class":"{class}"}}"#),
        Some(properties) => format!(r#"{{"@class":"{class}",{properties}"#),
        None => format!(r#"["{class}",{payload}]"#),
    };
    Some(readable.into())
}

fn report(error: redisson_codec::Error) -> String {
    error.to_string()
}
