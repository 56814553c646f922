//! A tape as a tree, which tests compare and print.

use bytes::Bytes;
use num_bigint::BigInt;

use crate::jackson::sink::{Sink, Written};
use crate::jackson::tape::{self, Node, Tape, Token};
use crate::java::BigDecimal;

/// A value as a syntax has it, without a Java class. The syntaxes read a value with its class as an array
/// `["class", value]`, or as an object with the property `@class`.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::jackson) enum Tree {
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
}

impl Tree {
    /// Writes it to a sink.
    pub(in crate::jackson) fn print(&self, sink: &mut impl Sink) -> Written {
        let mut tape = Tape::new(0);
        self.push(&mut tape);
        sink.node(tape.root(), None)
    }

    fn push<'t>(&'t self, tape: &mut Tape<'t>) {
        tape.push(match self {
            Self::Null => Token::Null,
            Self::Boolean(it) => Token::Boolean(*it),
            Self::Integer(it) => Token::Integer(*it),
            Self::BigInteger(it) => Token::BigInteger(Box::new(it.clone())),
            Self::Float(it) => Token::Float(*it),
            Self::Double(it) => Token::Double(*it),
            Self::Decimal(it) => Token::Decimal(Box::new(it.clone())),
            Self::Number(it) => Token::Number(it),
            Self::String(it) => Token::String(it.into()),
            Self::Utf16(it) => Token::Utf16(it.into()),
            Self::Bytes(it) => Token::Bytes(it[..].into()),
            Self::Array(items) => {
                let place = tape.open();
                items.iter().for_each(|it| it.push(tape));
                return tape.end_array(place, items.len());
            }
            Self::Object(properties) => {
                let place = tape.open();
                for (name, value) in properties {
                    tape.push(match name {
                        Label::Text(text) => Token::String(text.into()),
                        Label::Number(number) => Token::Integer(*number),
                    });
                    value.push(tape);
                }
                return tape.end_object(place, properties.len());
            }
        });
    }
}

/// The name of a property, or the key of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::jackson) enum Label {
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

impl From<Node<'_>> for Tree {
    fn from(node: Node<'_>) -> Self {
        match node.token() {
            Token::Null => Self::Null,
            Token::Boolean(it) => Self::Boolean(*it),
            Token::Integer(it) => Self::Integer(*it),
            Token::BigInteger(it) => Self::BigInteger(BigInt::clone(it)),
            Token::Float(it) => Self::Float(*it),
            Token::Double(it) => Self::Double(*it),
            Token::Decimal(it) => Self::Decimal(BigDecimal::clone(it)),
            Token::Number(it) => Self::Number((*it).to_owned()),
            Token::String(it) => Self::String(it.to_string()),
            Token::Utf16(it) => Self::Utf16(it.to_vec()),
            Token::Bytes(it) => Self::Bytes(Bytes::copy_from_slice(it)),
            Token::Array(_) => Self::Array(node.items().map(Self::from).collect()),
            Token::Object(_) => {
                let own = |(name, value)| {
                    let name = match name {
                        tape::Label::Text(text) => Label::Text(text.to_owned()),
                        tape::Label::Number(number) => Label::Number(number),
                    };
                    (name, Self::from(value))
                };
                Self::Object(node.properties().map(own).collect())
            }
        }
    }
}
