//! The codecs that hand values to Jackson, with the classes of Java in the payload.
//!
//! They differ in the syntax alone, and in the version of Jackson. So a value becomes a [`Tree`]
//! first, by the [`Rules`] of that version, and the tree becomes bytes; and back.
//!
//! [`Tree`]: tree::Tree
//! [`Rules`]: rules::Rules

mod codec2;
mod codec3;
mod json;
mod malformed;
mod number;
mod place;
mod reader;
mod rules;
mod time;
mod tree;
mod typing;
mod writer;

pub use self::codec2::JsonJacksonCodec;
pub use self::codec3::JsonJackson3Codec;

#[cfg(test)]
mod tests;
