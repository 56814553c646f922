use std::fmt;

use bytes::Bytes;
use num_bigint::BigInt;

use crate::java::{BigDecimal, Name};

/// What Jackson hands to a syntax, and a syntax to Jackson: values without classes, and the tags
/// that name a class where Jackson wants one.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tree {
    Null,
    Boolean(bool),
    Integer(i64),
    BigInteger(BigInt),
    Float(f32),
    Double(f64),
    Decimal(BigDecimal),
    /// A number with a fraction or an exponent as a text spells it: only there are all its digits,
    /// and the sign of its zero.
    Number(String),
    String(String),
    /// A string with half a surrogate pair.
    Utf16(Vec<u16>),
    Bytes(Bytes),
    Array(Vec<Tree>),
    Object(Vec<(Label, Tree)>),
    /// A value with its class. JSON and its binary kin have no word for it: they write
    /// `["class", value]`, and `"@class"` as a property of an object, and read those as an array
    /// and an object.
    Tagged(Name, Box<Tree>),
}

impl Tree {
    /// The property that names the class of an object.
    pub(super) const CLASS: &str = "@class";

    /// What it is, for the message of an error.
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
    /// The key of an entry that is an integer. CBOR has it as one, the others as a text.
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

/// How deep values nest at most, so that reading them cannot exhaust the stack.
pub(super) const DEEPEST: usize = 256;
