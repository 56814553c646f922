//! Values that nest as deep as a codec takes them, on a stack smaller than that of a thread.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::thread;

use redisson_codec::java::{JavaValue, Schema};
use redisson_codec::{CATALOG, Codec, Kryo5Codec, TypedJsonJacksonCodec, Values};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Three quarters of what a thread has unless told otherwise.
const STACK: usize = 1536 * 1024;

/// In Jackson's text, a list that names its class takes two levels.
const LEVELS: usize = 128;

/// The number is a level too.
fn nested(levels: usize, wrap: fn(JavaValue) -> JavaValue) -> JavaValue {
    (1..levels).fold(JavaValue::Integer(1), |inner, _| wrap(inner))
}

fn list(inner: JavaValue) -> JavaValue {
    JavaValue::list([inner])
}

fn map(inner: JavaValue) -> JavaValue {
    JavaValue::map([(JavaValue::from("key"), inner)])
}

fn object(inner: JavaValue) -> JavaValue {
    JavaValue::object("Node", [("next", inner)])
}

fn schema() -> Schema {
    Schema::from_json(r#"{"Node": {"uid": 1, "fields": {"next": "java.lang.Object"}}}"#).unwrap()
}

/// Whoever writes a value decides how deep it nests; a stack that overflows would end the
/// whole process.
fn fits(codec: impl Codec<JavaValue> + 'static, levels: usize) {
    on_a_small_stack(move || {
        // Each is read by functions of its own.
        for wrap in [list, map, object] {
            let value = nested(levels, wrap);
            let payload = codec.encode(&value).unwrap();
            assert_eq!(codec.decode(payload).unwrap(), value);
        }
    });
}

fn on_a_small_stack(run: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().stack_size(STACK).spawn(run);
    thread.unwrap().join().unwrap();
}

/// The codecs whose values hold others, and their names: numbers and bytes hold none.
fn nesting() -> impl Iterator<Item = (&'static str, Box<dyn Codec<JavaValue>>)> {
    CATALOG.iter().filter_map(|entry| {
        let Values::Java(make) = entry.values else {
            return None;
        };
        let codec = make(schema()).unwrap();
        let nests = codec.encode(&JavaValue::list([])).is_ok();
        nests.then_some((entry.redisson, codec))
    })
}

#[test]
fn values_fit_the_stack() {
    for (name, codec) in nesting() {
        fits(codec, levels(name));
    }
    let references = Kryo5Codec::with_schema(schema()).unwrap().references(true);
    fits(references, levels("Kryo5Codec"));
}

/// A codec refuses a value that nests too deep to be read, so nobody offers one.
#[test]
fn what_is_written_can_be_read_however_deep_it_nests() {
    for (name, codec) in nesting() {
        for wrap in [list, map, object] {
            let written = (1..300).rev().find_map(|levels| {
                let value = nested(levels, wrap);
                Some((levels, codec.encode(&value).ok()?, value))
            });
            let (levels, payload, value) = written.unwrap();
            let read = codec.decode(payload);
            assert!(
                read.is_ok_and(|it| it == value),
                "{levels} levels of {name}"
            );
        }
    }
}

/// How deep values may nest.
fn levels(codec: &str) -> usize {
    match codec {
        "Kryo5Codec" => 2 * LEVELS,
        "SmileJacksonCodec" => LEVELS / 2,
        _ => LEVELS,
    }
}

/// Without the names of classes, each level of the text is one of the value.
#[cfg(feature = "msgpack")]
#[test]
fn untagged_msgpack_values_fit_the_stack() {
    use redisson_codec::MsgPackJacksonCodec;

    let maps = [&[0x81, 0xa1, b'k'].repeat(2 * LEVELS)[..], &[1]].concat();
    on_a_small_stack(move || {
        MsgPackJacksonCodec::<JavaValue>::new()
            .decode(maps.into())
            .unwrap();
    });
}

/// serde makes functions for each type, buffers values of some, and needs more stack the more fields
/// there are.
#[test]
fn values_of_serde_fit_the_stack() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Node {
        next: Option<Box<Node>>,
    }
    #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    struct Wide {
        a: Option<String>,
        b: Option<String>,
        c: Option<String>,
        d: Option<String>,
        e: Option<String>,
        f: Option<String>,
        g: Option<i64>,
        h: Option<i64>,
        i: Option<i64>,
        j: Option<Vec<String>>,
        k: Option<Vec<String>>,
        next: Option<Box<Wide>>,
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Choice {
        End,
        Next(Box<Choice>),
        Pair(Box<Choice>, i32),
        Named { next: Box<Choice> },
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(untagged)]
    enum Tree {
        Leaf(i32),
        Branch(Vec<Tree>),
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Flat {
        #[serde(flatten)]
        rest: serde_json::Value,
    }

    typed::<serde_json::Value>("[", "1", "]");
    typed::<serde_json::Value>(r#"{"a":"#, "1", "}");
    typed::<Node>(r#"{"next":"#, "{}", "}");
    typed::<Wide>(r#"{"next":"#, "{}", "}");
    typed::<Choice>(r#"{"Next":"#, r#""End""#, "}");
    typed::<Choice>(r#"{"Pair":["#, r#"{"Next":"End"}"#, ",1]}");
    typed::<Choice>(r#"{"Named":{"next":"#, r#"{"Next":"End"}"#, "}}");
    typed::<Tree>("[", "1", "]");
    typed::<Flat>(r#"{"a":"#, "1", "}");
}

/// In the JSON of one type. It is serde_json that reads no more.
const LEVELS_OF_SERDE: usize = 127;

/// Reads and writes values that nest as deep as the codec takes them.
fn typed<T>(open: &'static str, innermost: &'static str, close: &'static str)
where
    T: Serialize + DeserializeOwned + PartialEq + Debug + 'static,
{
    let codec = TypedJsonJacksonCodec::<T>::new();
    let brackets = |text: &str| text.matches(['[', '{']).count();
    let around = (LEVELS_OF_SERDE - brackets(innermost)) / brackets(open);
    let text = move |around: usize| {
        let (open, close) = (open.repeat(around), close.repeat(around));
        format!("{open}{innermost}{close}")
    };
    assert_eq!(brackets(&text(around)), LEVELS_OF_SERDE);
    on_a_small_stack(move || {
        let payload = text(around);
        let value = codec.decode(payload.clone().into()).unwrap();
        assert_eq!(codec.encode(&value).unwrap(), payload);
        codec.decode(text(around + 1).into()).unwrap_err();
    });
}

/// Nobody can read such a value, and its depth could exhaust the stack of the writer.
#[test]
fn values_of_serde_that_nest_too_deep_are_not_written() {
    #[derive(Serialize, Deserialize)]
    enum Node {
        Array(Vec<Node>),
        Map(BTreeMap<String, Node>),
        Variant { next: Box<Node> },
        Bytes(#[serde(with = "bytes")] Vec<u8>),
    }
    mod bytes {
        pub(super) fn serialize<S: serde::Serializer>(
            bytes: &[u8],
            to: S,
        ) -> Result<S::Ok, S::Error> {
            to.serialize_bytes(bytes)
        }

        pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(
            from: D,
        ) -> Result<Vec<u8>, D::Error> {
            serde::Deserialize::deserialize(from)
        }
    }

    let array: fn(Node) -> Node = |node| Node::Array(vec![node]);
    let map = |node| Node::Map(BTreeMap::from([("key".to_owned(), node)]));
    let variant = |node| Node::Variant {
        next: Box::new(node),
    };
    // A variant and what it holds take two levels.
    let most = LEVELS_OF_SERDE / 2;
    for wrap in [array, map, variant] {
        for innermost in [|| Node::Array(Vec::new()), || Node::Bytes(vec![1])] {
            let nested = |count| (1..count).fold(innermost(), |inner, _| wrap(inner));
            let codec = TypedJsonJacksonCodec::new();
            codec.encode(&nested(most)).unwrap();
            for count in [most + 1, 1_000] {
                let error = codec.encode(&nested(count)).unwrap_err();
                let cause = error.cause().unwrap().to_string();
                assert_eq!(cause, "values nest more than 127 levels deep");
            }
        }
    }
}
