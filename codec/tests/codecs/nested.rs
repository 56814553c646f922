//! Values that nest as deep as a codec takes them, on a stack smaller than that of a thread.

use std::thread;

use redisson_codec::java::{JavaValue, Schema};
use redisson_codec::{CATALOG, Codec, Kryo5Codec, Values};

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
    let on_a_small_stack = move || {
        // Each is read by functions of its own.
        for wrap in [list, map, object] {
            let value = nested(levels, wrap);
            let payload = codec.encode(&value).unwrap();
            assert_eq!(codec.decode(payload).unwrap(), value);
        }
    };
    let thread = thread::Builder::new()
        .stack_size(STACK)
        .spawn(on_a_small_stack);
    thread.unwrap().join().unwrap();
}

#[test]
fn values_fit_the_stack() {
    for entry in CATALOG {
        let Values::Java(make) = entry.values else {
            continue;
        };
        let codec = make(schema()).unwrap();
        // Numbers and bytes hold no others.
        if codec.encode(&JavaValue::list([])).is_ok() {
            fits(codec, levels(entry.redisson));
        }
    }
    let references = Kryo5Codec::with_schema(schema()).unwrap().references(true);
    fits(references, levels("Kryo5Codec"));
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
    let read = move || {
        MsgPackJacksonCodec::<JavaValue>::new()
            .decode(maps.into())
            .unwrap();
    };
    let thread = thread::Builder::new().stack_size(STACK).spawn(read);
    thread.unwrap().join().unwrap();
}
