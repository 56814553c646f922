//! The codecs that hand values to Jackson, with the classes of Java in the payload.
//!
//! They differ in the syntax alone, and in the version of Jackson. So a value becomes a tree first,
//! by the rules of that version, and the tree becomes bytes; and back.
//!
//! - `json_jackson`, `json_jackson3`, `cbor_jackson`, `msgpack_jackson`, `smile_jackson`: the codecs;
//!   `codec` is what they have in common.
//! - `typing`: between Rust values and trees, with `writer` and `reader`.
//! - `rules`, `place`: when a class is written down, and what the place of a value declares.
//! - `tree`, `number`, `time`: what trees hold, and what numbers and texts in them stand for.
//! - `json`, `cbor`, `msgpack`, `smile`: trees to bytes and back.

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
