//! Redisson's default codec.
//!
//! - `codec`: the codec and its options.
//! - `classes`, `declared`, `fit`, `form`: what is known of classes, what a declared type says of
//!   a value, which classes it admits, and how the values of a class are written.
//! - `reader`, `writer`: values.
//! - `input`, `output`: numbers and texts.
//! - `fault`: what went wrong where.

mod classes;
mod codec;
mod declared;
mod fault;
mod fit;
mod form;
mod input;
mod output;
mod reader;
mod writer;

pub use self::codec::Kryo5Codec;

#[cfg(test)]
mod tests;
