//! [docs/codecs.md]: guide::codecs
//!
#![doc = include_str!("../README.md")]

// The modules:
//
// - `codec`, `error`: the trait and its error. `pointer` has it for `Box` and `Arc`.
// - `string`, `byte_array`, `integer`, `long`, `double`: plain values, by way of `number`.
// - `kryo5`, `jackson`, `marshalling`, `serialization`: values of any class, as `java` has them.
// - `json`, `protobuf`: values of one Rust type.
// - `frame`: what compresses the payload of another codec; `block` knows the compressed formats.
// - `fallback`, `sniff`, `verify`: several codecs, which codec, whether it is the right one.
// - `java`: values, types and classes of Java, and what its own serialization sends.
// - `guide`: the guide of `docs/`, for the documentation alone.

mod block;
mod byte_array;
mod codec;
mod double;
mod error;
mod fallback;
#[cfg(any(feature = "lz4", feature = "snappy", feature = "zstd"))]
mod frame;
#[cfg(not(doctest))]
pub mod guide;
mod integer;
mod jackson;
pub mod java;
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

pub use self::byte_array::ByteArrayCodec;
pub use self::codec::{Codec, decode_caught};
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

/// The bytes of payloads, as they appear in this crate's interface.
pub use bytes;

// The derive names this crate by its path from outside, here too.
#[cfg(test)]
extern crate self as redisson_codec;
