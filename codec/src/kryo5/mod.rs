//! Redisson's default codec.
//!
//! - `codec`: the codec and its options.
//! - `classes`, `declared`: the classes that the codec knows, and which of them a declared type
//!   admits.
//! - `form`, `jdk`: the forms in which Kryo writes values, and the form of each class of the JDK.
//! - `reader`, `writer`: values.
//! - `input`, `output`, `time`: numbers and texts.

mod classes;
mod codec;
mod declared;
mod form;
mod input;
mod jdk;
mod output;
mod reader;
mod time;
mod writer;

pub use self::codec::Kryo5Codec;

type Result<T> = std::result::Result<T, crate::java::Mismatch>;

#[cfg(test)]
mod tests;
