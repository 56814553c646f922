//! A `JsonNode`, and what it holds.

use super::object::unique;
use super::scalar;
use crate::jackson::tape::{Node, Token};
use crate::java::{JavaValue, Mismatch, Taker};

/// True for a class that extends `JsonNode`.
pub(super) fn is_node(class: &str) -> bool {
    class.starts_with("com.fasterxml.jackson.databind.node.")
        || class.starts_with("tools.jackson.databind.node.")
}

/// True where Jackson 3 knows a node from the place, and writes no tag.
pub(super) fn is_untagged(declared: &str) -> bool {
    declared
        .strip_prefix("tools.jackson.databind.")
        .is_some_and(|it| it == "JsonNode" || it.starts_with("node."))
}

/// Reads a node. Only the outermost names its class: what it holds may look like a tag, and is none.
// The frame of the caller must be small: values nest.
#[inline(never)]
pub(super) fn read(class: &str, node: Node<'_>, to: &mut Taker<'_>) -> Result<(), Mismatch> {
    let class = class.to_owned();
    let value = match node.token() {
        Token::Null => JavaValue::Null,
        Token::Object(_) => JavaValue::object(class, properties(node)?),
        _ => JavaValue::object(class, [("value", plain(node)?)]),
    };
    value.hand(to)
}

fn plain(node: Node<'_>) -> Result<JavaValue, Mismatch> {
    match node.token() {
        Token::Array(_) => {
            let items: Result<Vec<_>, Mismatch> = node.items().map(plain).collect();
            Ok(JavaValue::list(items?))
        }
        Token::Object(_) => {
            let entries = properties(node)?.into_iter();
            Ok(JavaValue::map(entries.map(|(name, it)| (name.into(), it))))
        }
        _ => scalar::natural(node),
    }
}

fn properties(node: Node<'_>) -> Result<Vec<(String, JavaValue)>, Mismatch> {
    let mut properties = Vec::new();
    unique(node, |_, name, value| {
        properties.push((name.to_string(), plain(value)?));
        Ok(())
    })?;
    Ok(properties)
}
