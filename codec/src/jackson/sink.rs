//! A syntax, as a payload is written in it.

use super::tape::{Label, Node, Token};
#[cfg(any(feature = "cbor", feature = "msgpack", feature = "smile"))]
use crate::java::JavaValue;
use crate::java::Mismatch;

pub(super) type Written = Result<(), Mismatch>;

/// Writes one value after the other. A tag is the class of a value: `["class",value]`, or a first
/// property `@class` of an object.
pub(super) trait Sink {
    /// Whether `begin_object` must be told the count. It is 0 otherwise.
    const COUNTS: bool = false;

    /// A value that holds no others.
    fn leaf(&mut self, leaf: &Token<'_>) -> Written;

    fn string(&mut self, text: &str) -> Written;

    /// Begins an array of `count` values.
    fn begin_array(&mut self, count: usize, tag: Option<&str>) -> Written;

    fn end_array(&mut self, is_tagged: bool) -> Written;

    /// Begins an object of `count` properties, besides the tag.
    fn begin_object(&mut self, count: usize, tag: Option<&str>) -> Written;

    /// Writes the name of a property. Its value follows.
    fn name(&mut self, name: &str) -> Written {
        self.string(name)
    }

    /// Writes a key that is an integer.
    fn number_name(&mut self, number: i64) -> Written {
        self.name(itoa::Buffer::new().format(number))
    }

    fn end_object(&mut self) -> Written;

    /// Begins a value with a tag that is neither an array nor an object.
    fn begin_tag(&mut self, class: &str) -> Written;

    fn end_tag(&mut self) -> Written;

    /// Writes a value and all that it holds.
    fn node(&mut self, node: Node<'_>, tag: Option<&str>) -> Written {
        match (node.token(), tag) {
            (Token::Array(_), _) => {
                self.begin_array(node.len(), tag)?;
                node.items().try_for_each(|item| self.node(item, None))?;
                self.end_array(tag.is_some())
            }
            (Token::Object(_), _) => {
                self.begin_object(node.len(), tag)?;
                for (label, value) in node.properties() {
                    match label {
                        Label::Text(name) => self.name(name)?,
                        Label::Number(number) => self.number_name(number)?,
                    }
                    self.node(value, None)?;
                }
                self.end_object()
            }
            (leaf, Some(tag)) => {
                self.begin_tag(tag)?;
                self.leaf(leaf)?;
                self.end_tag()
            }
            (leaf, None) => self.leaf(leaf),
        }
    }
}

/// Refuses a string with half a surrogate pair, which only JSON can write.
#[cfg(any(feature = "cbor", feature = "msgpack", feature = "smile"))]
pub(super) fn no_half(units: &[u16]) -> Written {
    let value = JavaValue::Utf16(units.to_vec());
    Err(Mismatch::new("no half of a surrogate pair", &value))
}
