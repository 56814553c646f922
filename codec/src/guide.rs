//! The guide.

#[doc = include_str!("../docs/codecs.md")]
pub mod codecs {}
