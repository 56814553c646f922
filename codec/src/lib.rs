//! [docs/codecs.md]: guide::codecs
//!
#![doc = include_str!("../README.md")]

// Where things are
//
// A codec turns values into payloads (bytes) and back. The trait is in `codec`, the error in
// `error`. Each family of codecs has a directory or a file:
//
// - `plain`: one text, one number, or bytes. No Java classes.
// - `json`, `protobuf`: values of one Rust type, without Java classes in the payload.
// - `jackson`, `kryo5`, `serializable`: any Java value, with its class in the payload.
// - `frame`: compresses what another codec writes.
// - `fallback`, `pointer`: a codec made of others; `Box` and `Arc` of a codec.
// - `java_codec`: the public type of each codec of any Java value.
//
// `java` has the values, types and classes of Java, for codecs and for users. It knows no codec.
// A codec writes a `java::View`, which shows a value level by level, to the buffer of `payload`. It
// reads by handing a `java::Source` to the type, which takes it level by level. `java::JavaValue` is
// one more such type.
// `catalog` names all codecs. `sniff` guesses which of them wrote a payload, and `verify` compares a
// codec with a payload that Java wrote. `guide` puts `codec/docs/` into the documentation. The derive
// for `java::JavaObject` is the package in `codec/derive/`.
//
// How to add a codec
//
// A codec is a file beside the codecs of its family, and a row in `catalog`. `codec/tests/catalog.rs`
// names the lists that must mention it, file by file, until they do.
//
// 1. Capture payloads that real Redisson wrote, as rows of `interop/vectors/payloads.jsonl`.
//    `interop/vectors/README.md` describes a row.
// 2. Write the codec. A public codec has `# Compatibility`, with the Java class and the versions that
//    you checked, and `# Examples`. `java_codec` makes the public type of a codec of any Java value.
//    `jackson/codec.rs` and `serializable/codec.rs` make it of less: the rules, a `Sink` and a function
//    (parse), or two functions (write, read). `frame/codec.rs` wants two (compress, decompress).
// 3. Name the file in the family's `mod.rs`, export the codec below, and write its row. `rdq` and the
//    tests that damage and nest payloads read the row.
// 4. If its payloads have a shape of their own, add a variant to `Likely` in `sniff/`.
// 5. Test it: units beside the code; real payloads in `codec/tests/codecs/`, read and written again;
//    its cost in `codec/benches/codec/case.rs`.
// 6. Add it to `codecs()` in `interop/src/codecs.rs`; the test asks real Redisson and writes
//    the tables of `codec/docs/codecs.md`.

mod catalog;
mod codec;
mod error;
mod fallback;
mod frame;
#[cfg(not(doctest))]
pub mod guide;
mod hash;
mod jackson;
pub mod java;
mod java_codec;
mod json;
mod kryo5;
mod payload;
mod plain;
mod pointer;
#[cfg(feature = "protobuf")]
mod protobuf;
#[cfg(any(feature = "serialization", feature = "smile"))]
mod repeats;
#[cfg(any(feature = "marshalling", feature = "serialization"))]
mod serializable;
mod sniff;
mod verify;

pub use self::catalog::{CATALOG, CatalogEntry, Values};
pub use self::codec::{Codec, decode_caught};
pub use self::error::Error;
pub use self::fallback::FallbackCodec;
#[cfg(feature = "zstd")]
pub use self::frame::ZstdCodec;
#[cfg(feature = "lz4")]
pub use self::frame::{Lz4Codec, Lz4CodecV2};
#[cfg(feature = "snappy")]
pub use self::frame::{SnappyCodec, SnappyCodecV2};
#[cfg(feature = "cbor")]
pub use self::jackson::CborJacksonCodec;
#[cfg(feature = "msgpack")]
pub use self::jackson::MsgPackJacksonCodec;
#[cfg(feature = "smile")]
pub use self::jackson::SmileJacksonCodec;
pub use self::jackson::{JsonJackson3Codec, JsonJacksonCodec};
pub use self::json::TypedJsonJacksonCodec;
pub use self::kryo5::Kryo5Codec;
pub use self::plain::{ByteArrayCodec, DoubleCodec, IntegerCodec, LongCodec, StringCodec};
#[cfg(feature = "protobuf")]
pub use self::protobuf::ProtobufCodec;
#[cfg(feature = "marshalling")]
pub use self::serializable::MarshallingCodec;
#[cfg(feature = "serialization")]
pub use self::serializable::SerializationCodec;
pub use self::sniff::{Likely, sniff};
pub use self::verify::verify;

/// The bytes of payloads, as they appear in this crate's interface.
pub use bytes;

// The derive names this crate by its path from outside, here too.
#[cfg(test)]
extern crate self as redisson_codec;
