//! The form between a Java value and the bytes of a syntax.

use std::fmt;

use bytes::Bytes;
use num_bigint::BigInt;

use crate::java::{BigDecimal, Name};

/// A value as a syntax has it. It has no Java class, except where Jackson wants a tag that names
/// one.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tree {
    Null,
    Boolean(bool),
    Integer(i64),
    BigInteger(BigInt),
    Float(f32),
    Double(f64),
    Decimal(BigDecimal),
    /// A number with a fraction or an exponent, in the spelling of the text. Only the spelling has
    /// all digits, and the sign of a zero.
    Number(String),
    String(String),
    /// A string with half a surrogate pair.
    Utf16(Vec<u16>),
    Bytes(Bytes),
    Array(Vec<Tree>),
    Object(Vec<(Label, Tree)>),
    /// A value with its class. The writer makes it. The syntaxes have no form of their own for it:
    /// they write `["class", value]`, or `"@class"` as a property of an object, and read an array
    /// or an object.
    Tagged(Name, Box<Tree>),
}

impl Tree {
    /// The property that names the class of an object.
    pub(super) const CLASS: &str = "@class";

    /// The kind of value, for error messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean(_) => "a boolean",
            Self::Integer(_) | Self::BigInteger(_) => "an integer",
            Self::Float(_) | Self::Double(_) | Self::Decimal(_) | Self::Number(_) => "a number",
            Self::String(_) | Self::Utf16(_) => "a string",
            Self::Bytes(_) => "bytes",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
            Self::Tagged(..) => "a value with a class",
        }
    }

    /// The text of UTF-16 units.
    pub(super) fn from_utf16(units: Vec<u16>) -> Self {
        match String::from_utf16(&units) {
            Ok(text) => Self::String(text),
            Err(_) => Self::Utf16(units),
        }
    }
}

/// The name of a property, or the key of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Label {
    Text(String),
    /// The key of an entry, if it is an integer. CBOR writes an integer, the other syntaxes a
    /// text.
    Number(i64),
}

impl From<String> for Label {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl PartialEq<str> for Label {
    fn eq(&self, other: &str) -> bool {
        matches!(self, Self::Text(text) if text == other)
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Number(number) => number.fmt(f),
        }
    }
}

/// How many levels deep values may nest. More could exhaust the stack of a reader.
pub(super) const DEEPEST: usize = 256;
