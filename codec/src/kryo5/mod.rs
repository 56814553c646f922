//! Redisson's default codec.
//!
//! - `codec`: the codec and its options.
//! - `classes`, `declared`: what is known of classes, what a declared type says of a value,
//!   and which classes it admits.
//! - `form`, `jdk`: how the values of a class are written, and those of which class of the JDK.
//! - `reader`, `writer`: values.
//! - `input`, `output`: numbers and texts.
//! - `fault`: what went wrong where.

mod classes;
mod codec;
mod declared;
mod fault;
mod form;
mod input;
mod jdk;
mod output;
mod reader;
mod writer;

pub use self::codec::Kryo5Codec;

#[cfg(test)]
mod tests;
