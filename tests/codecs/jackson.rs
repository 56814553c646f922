//! `JsonJacksonCodec` and its relatives against what Redisson wrote with them.

use bytes::Bytes;
use redisson_delayed_queue::codec::{Codec, JsonJackson3Codec, JsonJacksonCodec};
use redisson_delayed_queue::java::JavaValue;
use serde_json::Value;

use crate::canonical::{canonical, same};
use crate::vectors::{Vector, of_codec, schema};

/// The ids of the rows that a check did not pass, and how many did.
#[derive(Default)]
struct Outcome {
    passed: usize,
    failed: Vec<&'static str>,
}

impl Outcome {
    fn add(&mut self, id: &'static str, passed: Result<(), String>) {
        match passed {
            Ok(()) => self.passed += 1,
            Err(why) => {
                if std::env::var("SHOW").is_ok() {
                    eprintln!("{id}: {why}");
                }
                self.failed.push(id);
            }
        }
    }
}

/// What Java left bare at the root and so cannot read back, with its class.
fn tagged(vector: &Vector) -> Option<Bytes> {
    let payload = str::from_utf8(&vector.payload).unwrap();
    let class = match vector.java_type.as_str() {
        "com.example.orders.Priority$2" => "com.example.orders.Priority",
        "java.time.ZoneRegion" => "java.time.ZoneId",
        class => class,
    };
    let is_tagged = payload.starts_with("{\"@class\"") || payload.starts_with("[\"java.") || payload.starts_with("[\"[L") || payload.starts_with("[\"com.");
    if vector.roundtrip.is_none() || is_tagged {
        return None;
    }
    Some(match payload.strip_prefix('{') {
        Some("}") => format!("{{\"@class\":\"{class}\"}}"),
        Some(rest) => format!("{{\"@class\":\"{class}\",{rest}"),
        None => format!("[\"{class}\",{payload}]"),
    }.into())
}

fn decode(codec: &dyn Codec<JavaValue>, vector: &'static Vector) -> Result<(), String> {
    let value = codec.decode(vector.payload.clone());
    let roundtrip = vector.roundtrip.as_ref().map(|it| it.as_str().unwrap());
    if roundtrip.is_some_and(|it| it.starts_with("decode error")) {
        return Ok(());
    }
    let value = value.map_err(|error| format!("{error}: {:?}", std::error::Error::source(&error)))?;
    if value.class_name() == "java.util.BitSet" {
        return Err("its bits are not there".to_owned());
    }
    let (class, expected) = match roundtrip {
        None => (vector.java_type.as_str(), vector.value.clone()),
        Some(lost) => match lost.split_once(' ').unwrap() {
            ("class", class) => (class, vector.value.clone()),
            ("value", rest) => {
                let (class, json) = rest.split_once(' ').unwrap();
                (class, serde_json::from_str(json).unwrap_or(Value::String(json.to_owned())))
            }
            other => panic!("{other:?}"),
        },
    };
    let found = canonical(&value);
    if !same(&found, &expected) {
        return Err(format!("{found} instead of {expected}"));
    }
    if value.class_name() != class {
        return Err(format!("{} instead of {class}", value.class_name()));
    }
    Ok(())
}

fn encode(codec: &dyn Codec<JavaValue>, bare: &dyn Codec<JavaValue>, vector: &'static Vector) -> Result<(), String> {
    let readable = tagged(vector).unwrap_or_else(|| vector.payload.clone());
    let show = |error| format!("{error}: {:?}", std::error::Error::source(&error));
    let value = codec.decode(readable.clone()).map_err(show)?;
    if tagged(vector).is_some() && !same(&canonical(&value), &vector.value) {
        return Err(format!("{} instead of {}", canonical(&value), vector.value));
    }
    let again = codec.encode(&value).map_err(show)?;
    if again != readable {
        return Err(format!("{again:?} instead of {readable:?}"));
    }
    let again = bare.encode(&value).map_err(show)?;
    if again != vector.payload {
        return Err(format!("bare {again:?} instead of {:?}", vector.payload));
    }
    Ok(())
}

fn check(name: &str, codec: impl Fn(&Vector) -> (Box<dyn Codec<JavaValue>>, Box<dyn Codec<JavaValue>>)) {
    let (mut read, mut written) = (Outcome::default(), Outcome::default());
    for vector in of_codec(name) {
        let (codec, bare) = codec(vector);
        read.add(&vector.id, decode(&*codec, vector));
        written.add(&vector.id, encode(&*codec, &*bare, vector));
    }
    println!("{name} {} {:?} {} {:?}", read.passed, read.failed, written.passed, written.failed);
}

#[test]
fn all() {
    for (name, time) in [("JsonJacksonCodec", false), ("JsonJacksonCodec(JavaTimeModule)", true)] {
        check(name, |vector| {
            let codec = JsonJacksonCodec::with_schema(schema()).unwrap().java_time(time).tagged_uuids(vector.redisson[0] == "4.7.0");
            (Box::new(codec.clone()), Box::new(codec.bare_roots(true)))
        });
    }
    check("JsonJackson3Codec", |_| {
        const P: &str = "com.example.orders.";
        let codec = JsonJackson3Codec::with_schema(schema()).unwrap()
            .creator("com.example.orders.Address", ["street", "city", "zip"])
            .creator("com.example.orders.PaymentEvent", ["id", "version", "amount", "zone"])
            .creator("com.example.orders.Box", ["value", "label"])
            .creator("com.example.orders.StringBox", ["v", "l", "extra"])
            .creator("com.example.orders.Node", ["name", "left", "right"])
            ;
        (Box::new(codec.clone()), Box::new(codec.bare_roots(true)))
    });
}
