//! The codecs that write values as Jackson does, with the names of Java classes in the payload.
//!
//! They differ only in the syntax and in the version of Jackson. So a codec first turns a value
//! into a tree, by the rules of that version, and then the tree into bytes. Reading goes the other
//! way.
//!
//! - `json_jackson`, `json_jackson3`, `cbor_jackson`, `msgpack_jackson`, `smile_jackson`: the
//!   codecs. `codec` has what they share.
//! - `typing`: turns Rust values into trees with `writer`, and back with `reader`.
//! - `rules`, `place`: when a class name is written, and which type is declared where a value
//!   stands.
//! - `tree`, `number`, `time`: the trees, and the numbers and times in them.
//! - `json`, `cbor`, `msgpack`, `smile`: turn trees into bytes and back.

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
#[cfg(feature = "smile")]
mod smile;
#[cfg(feature = "smile")]
mod smile_jackson;
mod time;
mod tree;
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
