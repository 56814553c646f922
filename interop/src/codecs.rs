//! The codecs of this crate by the names of Redisson's.

use std::any::Any;
use std::error::Error;
use std::marker::PhantomData;

use bytes::Bytes;
use redisson_delayed_queue::codec::{
    self, ByteArrayCodec, CborJacksonCodec, Codec, DoubleCodec, IntegerCodec, JsonJackson3Codec,
    JsonJacksonCodec, Kryo5Codec, LongCodec, Lz4Codec, Lz4CodecV2, MarshallingCodec,
    MsgPackJacksonCodec, SerializationCodec, SmileJacksonCodec, SnappyCodec, SnappyCodecV2,
    StringCodec, TypedJsonJacksonCodec, ZstdCodec,
};
use redisson_delayed_queue::java::{JavaValue, Schema};

/// The settings of a codec.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "a test names all of them")]
pub struct Setting {
    /// The classes.
    pub schema: Schema,
    /// True if Redisson tags UUIDs in JSON.
    pub tags_uuids: bool,
    /// True if a codec that compresses has `MarshallingCodec` inside, and not `Kryo5Codec`.
    pub marshals: bool,
}

/// A codec of values of any type.
pub trait AnyCodec {
    /// Reads a payload.
    ///
    /// # Errors
    ///
    /// - The innermost reason, which is the most exact one.
    fn read(&self, payload: Bytes) -> Result<Read, String>;
}

/// The value that a codec read, and the payload that it writes for it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Read {
    /// The value, if it is one with classes.
    pub value: Option<JavaValue>,
    /// The same value as the codec writes it, or the innermost reason why it does not.
    pub written: Result<Bytes, String>,
}

struct Of<T, C>(C, PhantomData<T>);

impl<T: 'static, C: Codec<T>> AnyCodec for Of<T, C> {
    fn read(&self, payload: Bytes) -> Result<Read, String> {
        let value = self.0.decode(payload).map_err(|error| innermost(&error))?;
        let written = self.0.encode(&value).map_err(|error| innermost(&error));
        let value: Box<dyn Any> = Box::new(value);
        Ok(Read {
            value: value.downcast().ok().map(|value| *value),
            written,
        })
    }
}

fn of<T: 'static, C: Codec<T> + 'static>(codec: C) -> Box<dyn AnyCodec> {
    Box::new(Of(codec, PhantomData))
}

/// The innermost reason, which is the most exact one.
fn innermost(error: &codec::Error) -> String {
    let Some(cause) = error.cause() else {
        return error.to_string();
    };
    let mut innermost: &dyn Error = cause;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// Makes a codec.
pub type MakeCodec = Box<dyn Fn(&Setting) -> Box<dyn AnyCodec>>;

/// Each codec by the name that the tables give it.
pub fn codecs() -> Vec<(&'static str, MakeCodec)> {
    fn schema(setting: &Setting) -> Schema {
        setting.schema.clone()
    }
    fn kryo5(setting: &Setting) -> Kryo5Codec {
        Kryo5Codec::with_schema(schema(setting)).expect("the schema is sound")
    }
    fn json(setting: &Setting) -> JsonJacksonCodec {
        JsonJacksonCodec::with_schema(schema(setting)).expect("the schema is sound")
    }
    fn marshalling(setting: &Setting) -> MarshallingCodec {
        MarshallingCodec::with_schema(schema(setting)).expect("the schema is sound")
    }
    /// Wraps the codec that is the default of the version.
    macro_rules! around {
        ($codec:expr) => {
            |it| match it.marshals {
                true => of($codec(marshalling(it))),
                false => of($codec(kryo5(it))),
            }
        };
    }
    vec![
        ("StringCodec", Box::new(|_| of(StringCodec))),
        ("LongCodec", Box::new(|_| of(LongCodec))),
        ("IntegerCodec", Box::new(|_| of(IntegerCodec))),
        ("DoubleCodec", Box::new(|_| of(DoubleCodec))),
        (
            "ByteArrayCodec",
            Box::new(|_| of::<Bytes, _>(ByteArrayCodec)),
        ),
        ("Kryo5Codec", Box::new(|it| of(kryo5(it)))),
        (
            "Kryo5Codec(references)",
            Box::new(|it| of(kryo5(it).references(true))),
        ),
        (
            "JsonJacksonCodec",
            Box::new(|it| of(json(it).tagged_uuids(it.tags_uuids).bare_roots(true))),
        ),
        (
            "JsonJacksonCodec(JavaTimeModule)",
            Box::new(|it| {
                let json = json(it).tagged_uuids(it.tags_uuids).bare_roots(true);
                of(json.java_time(true))
            }),
        ),
        (
            "JsonJackson3Codec",
            Box::new(|it| {
                let json = JsonJackson3Codec::<JavaValue>::with_schema(schema(it));
                of(json.expect("the schema is sound").bare_roots(true))
            }),
        ),
        (
            "CborJacksonCodec",
            Box::new(|it| {
                let cbor = CborJacksonCodec::<JavaValue>::with_schema(schema(it));
                let cbor = cbor.expect("the schema is sound").bare_roots(true);
                of(cbor.tagged_uuids(it.tags_uuids))
            }),
        ),
        (
            "MsgPackJacksonCodec",
            Box::new(|it| {
                let pack = MsgPackJacksonCodec::<JavaValue>::with_schema(schema(it));
                let pack = pack.expect("the schema is sound").bare_roots(true);
                of(pack.tagged_uuids(it.tags_uuids))
            }),
        ),
        (
            "SmileJacksonCodec",
            Box::new(|it| {
                let smile = SmileJacksonCodec::<JavaValue>::with_schema(schema(it));
                let smile = smile.expect("the schema is sound").bare_roots(true);
                of(smile.tagged_uuids(it.tags_uuids))
            }),
        ),
        (
            "TypedJsonJacksonCodec",
            Box::new(|_| of(TypedJsonJacksonCodec::<serde_json::Value>::new())),
        ),
        (
            "JacksonCodec",
            Box::new(|_| of(TypedJsonJacksonCodec::<serde_json::Value>::new())),
        ),
        (
            "Jackson3Codec",
            Box::new(|_| of(TypedJsonJacksonCodec::<serde_json::Value>::new())),
        ),
        ("LZ4Codec", Box::new(around!(Lz4Codec::new))),
        ("LZ4CodecV2", Box::new(around!(Lz4CodecV2::new))),
        ("SnappyCodec", Box::new(around!(SnappyCodec::new))),
        ("SnappyCodecV2", Box::new(around!(SnappyCodecV2::new))),
        ("ZStdCodec", Box::new(around!(ZstdCodec::new))),
        ("MarshallingCodec", Box::new(|it| of(marshalling(it)))),
        (
            "SerializationCodec",
            Box::new(|it| {
                let codec = SerializationCodec::<JavaValue>::with_schema(schema(it));
                of(codec.expect("the schema is sound"))
            }),
        ),
    ]
}
