//! A payload taken apart: its values one behind the other in one piece of memory.

use std::borrow::Cow;
use std::fmt;

use num_bigint::BigInt;

use crate::java::BigDecimal;

/// The values of a payload, each behind the array or the object that holds it.
#[derive(Debug)]
pub(super) struct Tape<'p>(Vec<Token<'p>>);

/// A value as a syntax has it, without a Java class, or the beginning of one that holds others. The
/// syntaxes read a value with its class as an array `["class", value]`, or as an object with the
/// property `@class`.
#[derive(Debug)]
pub(super) enum Token<'p> {
    Null,
    Boolean(bool),
    Integer(i64),
    BigInteger(Box<BigInt>),
    Float(f32),
    Double(f64),
    Decimal(Box<BigDecimal>),
    /// A number with a fraction or an exponent, in the spelling of the text. Only the spelling has
    /// all digits, and the sign of a zero.
    Number(&'p str),
    String(Cow<'p, str>),
    /// A string with half a surrogate pair.
    Utf16(Cow<'p, [u16]>),
    Bytes(Cow<'p, [u8]>),
    Array(Extent),
    /// Its names and its values follow in turn. A name is a string, or an integer: CBOR and
    /// MessagePack have such keys.
    Object(Extent),
}

/// How much an array or an object holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// How many values it holds, or how many properties.
    count: usize,
    /// How many tokens it takes, with its own.
    size: usize,
}

/// A value on a tape.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<'t> {
    tokens: &'t [Token<'t>],
    /// The property that does not count: it named the class of the object.
    without: Option<usize>,
}

/// Values that follow each other.
#[derive(Clone, Debug)]
pub(super) struct Nodes<'t>(&'t [Token<'t>]);

/// The properties of an object, but for the one that does not count.
#[derive(Clone, Debug)]
pub(super) struct Properties<'t> {
    nodes: Nodes<'t>,
    place: usize,
    without: Option<usize>,
}

/// The property that names the class of an object.
pub(super) const CLASS: &str = "@class";

/// How many levels deep values may nest. More could exhaust the stack of a reader.
pub(super) const DEEPEST: usize = 256;

impl<'p> Tape<'p> {
    /// An empty tape for a payload of so many bytes.
    pub(super) fn new(payload: usize) -> Self {
        // Few payloads have more than a value in eight bytes.
        Self(Vec::with_capacity(payload / 8 + 4))
    }

    #[inline]
    pub(super) fn push(&mut self, token: Token<'p>) {
        self.0.push(token);
    }

    /// Begins an array or an object. The result is its place.
    pub(super) fn open(&mut self) -> usize {
        self.push(Token::Null);
        self.0.len() - 1
    }

    /// Puts a token in the place of an object that turned out to be something else.
    #[cfg(feature = "smile")]
    pub(super) fn set(&mut self, at: usize, token: Token<'p>) {
        self.0.truncate(at);
        self.0.push(token);
    }

    /// Ends the array that began at a place.
    pub(super) fn end_array(&mut self, at: usize, count: usize) {
        self.0[at] = Token::Array(self.extent(at, count));
    }

    /// Ends the object that began at a place.
    pub(super) fn end_object(&mut self, at: usize, count: usize) {
        self.0[at] = Token::Object(self.extent(at, count));
    }

    fn extent(&self, at: usize, count: usize) -> Extent {
        let size = self.0.len() - at;
        Extent { count, size }
    }

    /// How many tokens there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// True if the value at a place can be the name of a property.
    pub(super) fn is_name(&self, at: usize) -> bool {
        matches!(self.0.get(at), Some(Token::String(_) | Token::Integer(_)))
    }

    /// Takes the tokens from a place on away.
    #[cfg(feature = "cbor")]
    pub(super) fn split_off(&mut self, at: usize) -> Vec<Token<'p>> {
        self.0.split_off(at)
    }

    pub(super) fn root(&self) -> Node<'_> {
        Node::new(&self.0)
    }
}

impl<'p> From<Token<'p>> for Tape<'p> {
    fn from(leaf: Token<'p>) -> Self {
        Self(vec![leaf])
    }
}

impl<'p> Token<'p> {
    /// The text of UTF-16 units.
    pub(super) fn from_utf16(units: Vec<u16>) -> Self {
        match String::from_utf16(&units) {
            Ok(text) => Self::String(text.into()),
            Err(_) => Self::Utf16(units.into()),
        }
    }

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
        }
    }

    #[inline]
    fn size(&self) -> usize {
        match self {
            Self::Array(extent) | Self::Object(extent) => extent.size,
            _ => 1,
        }
    }
}

impl<'t> Node<'t> {
    /// The value that these tokens are.
    pub(super) fn new(tokens: &'t [Token<'t>]) -> Self {
        let without = None;
        Self { tokens, without }
    }

    pub(super) fn tokens(self) -> &'t [Token<'t>] {
        self.tokens
    }

    /// A value that holds no others.
    pub(super) fn leaf(token: &'t Token<'t>) -> Self {
        Self::new(std::slice::from_ref(token))
    }

    pub(super) fn token(self) -> &'t Token<'t> {
        self.tokens.first().unwrap_or(&Token::Null)
    }

    pub(super) fn kind(self) -> &'static str {
        self.token().kind()
    }

    pub(super) fn text(self) -> Option<&'t str> {
        match self.token() {
            Token::String(text) => Some(text),
            _ => None,
        }
    }

    /// How many values an array holds, or how many properties an object has.
    pub(super) fn len(self) -> usize {
        match self.token() {
            Token::Array(extent) => extent.count,
            Token::Object(extent) => extent.count - usize::from(self.without.is_some()),
            _ => 0,
        }
    }

    /// The values of an array.
    pub(super) fn items(self) -> Nodes<'t> {
        Nodes(self.tokens.get(1..self.token().size()).unwrap_or_default())
    }

    /// The properties of an object: each name and its value.
    pub(super) fn properties(self) -> Properties<'t> {
        Properties {
            nodes: self.items(),
            place: 0,
            without: self.without,
        }
    }

    /// Takes the class out of the properties of an object, wherever it stands. A second property
    /// with that name stays in the object.
    pub(super) fn take_class(self) -> Option<(&'t str, Self)> {
        for (place, (label, value)) in self.properties().enumerate() {
            if label == Label::Text(CLASS)
                && let Some(class) = value.text()
            {
                let without = Some(place);
                return Some((class, Self { without, ..self }));
            }
        }
        None
    }

    /// The two values of an array of two, of which the first is a string.
    pub(super) fn pair(self) -> Option<(&'t str, Self)> {
        match self.token() {
            Token::Array(Extent { count: 2, .. }) => {
                let mut items = self.items();
                Some((items.next()?.text()?, items.next()?))
            }
            _ => None,
        }
    }
}

impl<'t> Iterator for Nodes<'t> {
    type Item = Node<'t>;

    #[inline]
    fn next(&mut self) -> Option<Node<'t>> {
        let size = self.0.first()?.size();
        let (tokens, rest) = self.0.split_at_checked(size)?;
        self.0 = rest;
        Some(Node::new(tokens))
    }
}

impl<'t> Iterator for Properties<'t> {
    type Item = (Label<'t>, Node<'t>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            // A name holds nothing else.
            let (name, rest) = self.nodes.0.split_first()?;
            self.nodes.0 = rest;
            let label = match name {
                Token::Integer(number) => Label::Number(*number),
                Token::String(text) => Label::Text(text),
                _ => Label::Text(""),
            };
            let value = self.nodes.next()?;
            self.place += 1;
            if self.without != Some(self.place - 1) {
                return Some((label, value));
            }
        }
    }
}

/// The name of a property, or the key of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Label<'t> {
    Text(&'t str),
    /// The key of an entry, if it is an integer. CBOR writes an integer, the other syntaxes a
    /// text.
    Number(i64),
}

impl fmt::Display for Label<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Number(number) => number.fmt(f),
        }
    }
}
