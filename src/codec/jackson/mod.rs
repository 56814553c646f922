//! The codecs that hand values to Jackson, with the classes of Java in the payload.
//!
//! They differ in the syntax alone, and in the version of Jackson. So a value becomes a [`Tree`]
//! first, by the [`Rules`] of that version, and the tree becomes bytes; and back.
//!
//! [`Tree`]: tree::Tree
//! [`Rules`]: rules::Rules

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
