//! The codecs that write values as Jackson does, with the names of Java classes in the payload.
//!
//! They differ only in the syntax and in the version of Jackson. So a codec writes a value to a
//! sink, by the rules of that version, and the sink is the syntax. To read, a parser of the syntax
//! takes the payload apart, and `reader` hands its values over to the type that is read.
//!
//! - `json_jackson`, `json_jackson3`, `cbor_jackson`, `msgpack_jackson`, `smile_jackson`: the
//!   codecs. `codec` has what they share.
//! - `typing`: writes Rust values with `writer`, and reads them with `reader`. `sink` is what a
//!   syntax must be able to write.
//! - `rules`, `place`: when a class name is written, and which type is declared where a value
//!   stands.
//! - `tape`: a payload taken apart.
//! - `number`, `time`: the numbers and times in them.
//! - `json`, `cbor`, `msgpack`, `smile`: each a sink, and a parser.

#[cfg(feature = "cbor")]
mod cbor;
#[cfg(feature = "cbor")]
mod cbor_jackson;
mod codec;
mod json;
mod json_jackson;
mod json_jackson3;
#[cfg(feature = "msgpack")]
mod msgpack;
#[cfg(feature = "msgpack")]
mod msgpack_jackson;
mod number;
mod place;
mod reader;
mod rules;
mod sink;
#[cfg(feature = "smile")]
mod smile;
#[cfg(feature = "smile")]
mod smile_jackson;
mod tape;
mod time;
mod typing;
mod writer;

#[cfg(feature = "cbor")]
pub use self::cbor_jackson::CborJacksonCodec;
pub use self::json_jackson::JsonJacksonCodec;
pub use self::json_jackson3::JsonJackson3Codec;
#[cfg(feature = "msgpack")]
pub use self::msgpack_jackson::MsgPackJacksonCodec;
#[cfg(feature = "smile")]
pub use self::smile_jackson::SmileJacksonCodec;

#[cfg(test)]
mod tests;
