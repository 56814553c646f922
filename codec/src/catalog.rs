use std::marker::PhantomData;

use bytes::Bytes;

use crate::java::{InvalidSchema, JavaObject, JavaValue, Schema};
use crate::{Codec, Error, Likely};

/// A codec of this crate, for programs that choose one by its name when they run.
///
/// # Examples
///
/// ```
/// use redisson_codec::java::{JavaValue, Schema};
/// use redisson_codec::{CATALOG, Values};
///
/// let named = CATALOG.iter().find(|it| it.redisson == "Kryo5Codec").unwrap();
/// let Values::Java(make) = named.values else { panic!("no Java values") };
/// let codec = make(Schema::new())?;
/// assert_eq!(codec.decode(b"\x09\x54".as_slice().into())?, JavaValue::Long(42));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CatalogEntry {
    /// The name of the type: `Lz4Codec`.
    pub name: &'static str,
    /// The name of the class in Redisson: `LZ4Codec`.
    pub redisson: &'static str,
    /// A name for command lines and configuration files: `lz4`.
    pub short: &'static str,
    /// The Cargo feature that the codec needs.
    pub feature: Option<&'static str>,
    /// The values of the codec, and how to make it.
    pub values: Values,
}

/// The values of a codec, and how to make the codec.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Values {
    /// Payloads of another codec, which this one compresses.
    Frame(fn() -> Box<dyn Codec<Bytes>>),
    /// Any Java value, numbers of one type, or bytes.
    Java(fn(Schema) -> Made),
    /// A serde type. The payload is JSON without the names of classes.
    Json,
    /// A message of `prost`.
    Message,
    /// None: the program was compiled without the feature.
    Off,
    /// Texts.
    Text,
}

type Made = Result<Box<dyn Codec<JavaValue>>, InvalidSchema>;

/// Makes the rows. A row with a feature has no values without it.
macro_rules! catalog {
    ($($name:ident, $redisson:literal, $short:literal $(, $feature:literal)?:
        $kind:ident $(($of:ty))?;)*) => {
        /// The codecs of this crate, in the order of their names.
        pub static CATALOG: &[CatalogEntry] = &[$(CatalogEntry {
            name: stringify!($name),
            redisson: $redisson,
            short: $short,
            feature: catalog!(@feature $($feature)?),
            values: catalog!(@values $($feature)?, $name, $kind $(, $of)?),
        }),*];
    };
    (@feature) => { None };
    (@feature $feature:literal) => { Some($feature) };
    (@values , $($made:tt)*) => { catalog!(@made $($made)*) };
    (@values $feature:literal, $($made:tt)*) => {{
        #[cfg(feature = $feature)]
        { catalog!(@made $($made)*) }
        #[cfg(not(feature = $feature))]
        { Values::Off }
    }};
    (@made $codec:ident, frame) => {
        Values::Frame(|| Box::new(crate::$codec::new(crate::ByteArrayCodec)))
    };
    (@made $codec:ident, java) => {
        Values::Java(|classes| Ok(Box::new(crate::$codec::with_schema(classes)?)))
    };
    (@made $codec:ident, plain, $of:ty) => {
        Values::Java(|_| Ok(Box::new(Plain::<$of, _>(crate::$codec, PhantomData))))
    };
    (@made $codec:ident, json) => { Values::Json };
    (@made $codec:ident, message) => { Values::Message };
    (@made $codec:ident, text) => { Values::Text };
}

// The type, the class in Redisson, the short name, the feature if there is one, and the values.
catalog! {
    ByteArrayCodec, "ByteArrayCodec", "bytes": plain(Bytes);
    CborJacksonCodec, "CborJacksonCodec", "cbor", "cbor": java;
    DoubleCodec, "DoubleCodec", "double": plain(f64);
    IntegerCodec, "IntegerCodec", "integer": plain(i32);
    JsonJackson3Codec, "JsonJackson3Codec", "json-jackson3": java;
    JsonJacksonCodec, "JsonJacksonCodec", "json-jackson": java;
    Kryo5Codec, "Kryo5Codec", "kryo5": java;
    LongCodec, "LongCodec", "long": plain(i64);
    Lz4Codec, "LZ4Codec", "lz4", "lz4": frame;
    Lz4CodecV2, "LZ4CodecV2", "lz4-v2", "lz4": frame;
    MarshallingCodec, "MarshallingCodec", "marshalling", "marshalling": java;
    MsgPackJacksonCodec, "MsgPackJacksonCodec", "msgpack", "msgpack": java;
    ProtobufCodec, "ProtobufCodec", "protobuf", "protobuf": message;
    SerializationCodec, "SerializationCodec", "serialization", "serialization": java;
    SmileJacksonCodec, "SmileJacksonCodec", "smile", "smile": java;
    SnappyCodec, "SnappyCodec", "snappy", "snappy": frame;
    SnappyCodecV2, "SnappyCodecV2", "snappy-v2", "snappy": frame;
    StringCodec, "StringCodec", "string": text;
    TypedJsonJacksonCodec, "TypedJsonJacksonCodec", "json": json;
    ZstdCodec, "ZStdCodec", "zstd", "zstd": frame;
}

impl Likely {
    /// The codec in the [`CATALOG`]. `None` for a codec that this crate does not have:
    /// `IonJacksonCodec`.
    #[must_use]
    pub fn entry(self) -> Option<&'static CatalogEntry> {
        let name = format!("{self:?}");
        CATALOG.iter().find(|it| it.name == name)
    }
}

/// A codec of one type of values, as a codec of Java values.
struct Plain<T, C>(C, PhantomData<fn() -> T>);

impl<T: JavaObject + 'static, C: Codec<T>> Codec<JavaValue> for Plain<T, C> {
    fn encode(&self, value: &JavaValue) -> Result<Bytes, Error> {
        // A caller with a whole number need not know which type the codec wants.
        let value = match (T::java_type().name().as_str(), value) {
            ("double", JavaValue::Integer(number)) => JavaValue::Double((*number).into()),
            ("long", JavaValue::Integer(number)) => JavaValue::Long((*number).into()),
            _ => value.clone(),
        };
        let refused = |error| Error::with_source("the codec writes no such value", error);
        self.0.encode(&T::from_java(value).map_err(refused)?)
    }

    fn decode(&self, payload: Bytes) -> Result<JavaValue, Error> {
        Ok(self.0.decode(payload)?.to_java())
    }

    fn name(&self) -> String {
        self.0.name()
    }
}
