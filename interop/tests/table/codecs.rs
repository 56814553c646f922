//! The codecs by the names that the tables give them.

use std::error::Error;
use std::marker::PhantomData;

use bytes::Bytes;
use interop::payload::Payload;
use redisson_delayed_queue::codec::{
    self, ByteArrayCodec, CborJacksonCodec, Codec, DoubleCodec, IntegerCodec, JsonJackson3Codec,
    JsonJacksonCodec, Kryo5Codec, LongCodec, Lz4Codec, Lz4CodecV2, MarshallingCodec,
    MsgPackJacksonCodec, SerializationCodec, SmileJacksonCodec, SnappyCodec, SnappyCodecV2,
    StringCodec, TypedJsonJacksonCodec, ZstdCodec,
};
use redisson_delayed_queue::java::{JavaValue, Schema};

/// A codec of values of any type.
pub(crate) trait AnyCodec {
    /// Reads a payload and writes what it read.
    fn rewrite(&self, payload: Bytes) -> Result<Result<Bytes, String>, String>;
}

struct Of<T, C>(C, PhantomData<T>);

impl<T, C: Codec<T>> AnyCodec for Of<T, C> {
    fn rewrite(&self, payload: Bytes) -> Result<Result<Bytes, String>, String> {
        let value = self.0.decode(payload).map_err(|error| innermost(&error))?;
        Ok(self.0.encode(&value).map_err(|error| innermost(&error)))
    }
}

fn of<T: 'static, C: Codec<T>>(codec: C) -> Box<dyn AnyCodec> {
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

pub(crate) type MakeCodec = Box<dyn Fn(&Payload) -> Box<dyn AnyCodec>>;

/// Makes each codec for a payload; its options depend on what Redisson had when it wrote it.
pub(crate) fn codecs() -> Vec<(&'static str, MakeCodec)> {
    fn schema() -> Schema {
        Schema::from_json(include_str!("../../vectors/schema.json")).expect("the schema is one")
    }
    fn kryo5() -> Kryo5Codec {
        Kryo5Codec::with_schema(schema()).expect("the schema is sound")
    }
    fn json() -> JsonJacksonCodec {
        JsonJacksonCodec::with_schema(schema()).expect("the schema is sound")
    }
    fn marshalling() -> MarshallingCodec {
        MarshallingCodec::with_schema(schema()).expect("the schema is sound")
    }
    /// True if Redisson tags UUIDs, in the newest version that wrote the payload.
    fn tags_uuids(row: &Payload) -> bool {
        row.redisson.last().is_some_and(|it| it == "4.7.0")
    }
    /// Wraps the codec that is the default of the version.
    macro_rules! around {
        ($codec:expr) => {
            |row| match row.redisson[0].as_str() {
                "3.17.7" if row.redisson.len() == 1 => of($codec(marshalling())),
                _ => of($codec(kryo5())),
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
        ("Kryo5Codec", Box::new(|_| of(kryo5()))),
        (
            "Kryo5Codec(references)",
            Box::new(|_| of(kryo5().references(true))),
        ),
        (
            "JsonJacksonCodec",
            Box::new(|row| of(json().tagged_uuids(tags_uuids(row)).bare_roots(true))),
        ),
        (
            "JsonJacksonCodec(JavaTimeModule)",
            Box::new(|row| {
                let json = json().tagged_uuids(tags_uuids(row)).bare_roots(true);
                of(json.java_time(true))
            }),
        ),
        (
            "JsonJackson3Codec",
            Box::new(|_| {
                let json = JsonJackson3Codec::<JavaValue>::with_schema(schema());
                of(json.expect("the schema is sound").bare_roots(true))
            }),
        ),
        (
            "CborJacksonCodec",
            Box::new(|row| {
                let cbor = CborJacksonCodec::<JavaValue>::with_schema(schema());
                let cbor = cbor.expect("the schema is sound").bare_roots(true);
                of(cbor.tagged_uuids(tags_uuids(row)))
            }),
        ),
        (
            "MsgPackJacksonCodec",
            Box::new(|row| {
                let pack = MsgPackJacksonCodec::<JavaValue>::with_schema(schema());
                let pack = pack.expect("the schema is sound").bare_roots(true);
                of(pack.tagged_uuids(tags_uuids(row)))
            }),
        ),
        (
            "SmileJacksonCodec",
            Box::new(|row| {
                let smile = SmileJacksonCodec::<JavaValue>::with_schema(schema());
                let smile = smile.expect("the schema is sound").bare_roots(true);
                of(smile.tagged_uuids(tags_uuids(row)))
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
        ("MarshallingCodec", Box::new(|_| of(marshalling()))),
        (
            "SerializationCodec",
            Box::new(|_| {
                let codec = SerializationCodec::<JavaValue>::with_schema(schema());
                of(codec.expect("the schema is sound"))
            }),
        ),
    ]
}
