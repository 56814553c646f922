//! How a value becomes the payload of an element, and how a payload becomes a value again.
//!
//! A codec here writes and reads the bytes of the Redisson codec of the same name, so a Java peer
//! with that codec takes what Rust offers and the other way round:
//!
//! | Codec | Values | Payload |
//! |---|---|---|
//! | [`StringCodec`] | `String` | the text in UTF-8 |
//! | [`LongCodec`], [`IntegerCodec`] | `i64`, `i32` | decimal digits |
//! | [`DoubleCodec`] | `f64` | the number as Java prints it |
//! | [`ByteArrayCodec`] | `Bytes`, `Vec<u8>` | the bytes themselves |
//! | [`Kryo5Codec`] | any Java value | Kryo 5, Redisson's default |
//! | [`TypedJsonJacksonCodec`] | any serde type | JSON without type information |
//! | `SerializationCodec` (feature `serialization`) | any Java value | a stream of Java objects |
//! | `MarshallingCodec` (feature `marshalling`) | any Java value | JBoss Marshalling, River 4 |
//! | `ProtobufCodec` (feature `protobuf`) | messages of `prost` | the message |
//! | [`JsonJacksonCodec`], [`JsonJackson3Codec`] | any Java value | JSON with the names of classes |
//! | `CborJacksonCodec` (feature `cbor`) | any Java value | the same as CBOR |
//! | `MsgPackJacksonCodec` (feature `msgpack`) | any Java value | the same as MessagePack |
//! | `SmileJacksonCodec` (feature `smile`) | any Java value | the same as Smile |
//!
//! Around any of them, as in Redisson: `Lz4Codec` and `Lz4CodecV2` with the feature `lz4`,
//! `SnappyCodec` and `SnappyCodecV2` with `snappy`, `ZstdCodec` with `zstd`. Producers that change
//! codec are read with [`FallbackCodec`], and [`sniff`] tells what a payload may be.
//!
//! Reading well is not all. `remove` and `contains` compare payloads, in Java as here, so a codec
//! must give equal values equal bytes.

mod block;
mod bytes;
mod double;
mod error;
mod fallback;
#[cfg(any(feature = "lz4", feature = "snappy", feature = "zstd"))]
mod frame;
mod integer;
mod jackson;
mod json;
mod kryo5;
mod long;
#[cfg(feature = "marshalling")]
mod marshalling;
mod number;
mod pointer;
#[cfg(feature = "protobuf")]
mod protobuf;
#[cfg(feature = "serialization")]
mod serialization;
mod sniff;
mod string;
mod verify;

pub use self::bytes::ByteArrayCodec;
pub use self::double::DoubleCodec;
pub use self::error::Error;
pub use self::fallback::FallbackCodec;
#[cfg(feature = "zstd")]
pub use self::frame::ZstdCodec;
#[cfg(feature = "lz4")]
pub use self::frame::{Lz4Codec, Lz4CodecV2};
#[cfg(feature = "snappy")]
pub use self::frame::{SnappyCodec, SnappyCodecV2};
pub use self::integer::IntegerCodec;
#[cfg(feature = "cbor")]
pub use self::jackson::CborJacksonCodec;
#[cfg(feature = "msgpack")]
pub use self::jackson::MsgPackJacksonCodec;
#[cfg(feature = "smile")]
pub use self::jackson::SmileJacksonCodec;
pub use self::jackson::{JsonJackson3Codec, JsonJacksonCodec};
pub use self::json::TypedJsonJacksonCodec;
pub use self::kryo5::Kryo5Codec;
pub use self::long::LongCodec;
#[cfg(feature = "marshalling")]
pub use self::marshalling::MarshallingCodec;
#[cfg(feature = "protobuf")]
pub use self::protobuf::ProtobufCodec;
#[cfg(feature = "serialization")]
pub use self::serialization::SerializationCodec;
pub use self::sniff::{Likely, sniff};
pub use self::string::StringCodec;
pub use self::verify::verify;

use std::panic::{AssertUnwindSafe, catch_unwind};

use ::bytes::Bytes;

/// Writes values of type `T` as payloads and reads them back.
///
/// A codec is shared by all clones of a queue and by all its tasks. It sees payloads only: ids,
/// lengths and due times are none of its business.
///
/// # Examples
///
/// A codec for a queue of flags that Java writes with a codec of its own:
///
/// ```
/// use bytes::Bytes;
/// use redisson_delayed_queue::codec::{Codec, Error};
///
/// #[derive(Debug)]
/// struct FlagCodec;
///
/// impl Codec<bool> for FlagCodec {
///     fn encode(&self, value: &bool) -> Result<Bytes, Error> {
///         Ok(value.to_string().into())
///     }
///
///     fn decode(&self, payload: Bytes) -> Result<bool, Error> {
///         match payload.as_ref() {
///             b"true" => Ok(true),
///             b"false" => Ok(false),
///             _ => Err(Error::new("payload is not a flag")),
///         }
///     }
/// }
///
/// assert_eq!(FlagCodec.encode(&true)?, "true");
/// assert!(FlagCodec.decode("yes".into()).is_err());
/// # Ok::<(), Error>(())
/// ```
pub trait Codec<T>: Send + Sync + 'static {
    /// Writes `value` as a payload.
    ///
    /// Equal values should give equal bytes, or `remove` and `contains` miss them.
    ///
    /// # Errors
    ///
    /// - [`Error`] if `value` has no payload. Nothing was sent to Redis.
    ///
    /// # Panics
    ///
    /// A panic reaches the caller of the queue. Nothing was sent to Redis.
    fn encode(&self, value: &T) -> Result<Bytes, Error>;

    /// Reads the value back from `payload`.
    ///
    /// # Errors
    ///
    /// - [`Error`] if `payload` is not one that this codec writes. The queue that asked adds the
    ///   payload to its own error, so the element is not lost.
    ///
    /// # Panics
    ///
    /// The queue catches a panic and turns it into an [`Error`], whose source is the panic's
    /// message. It does so for one element: the others of the same call are delivered. In a program
    /// that is built with `panic = "abort"`, nothing can catch it.
    fn decode(&self, payload: Bytes) -> Result<T, Error>;
}

/// Reads `payload`; that the codec panics is an error.
pub(crate) fn decode_caught<T: 'static>(codec: &dyn Codec<T>, payload: Bytes) -> Result<T, Error> {
    // A codec is shared by threads, so a panic in one of them leaves it to the others anyway.
    catch_unwind(AssertUnwindSafe(|| codec.decode(payload)))
        .unwrap_or_else(|panic| Err(Error::panic(&*panic)))
}
