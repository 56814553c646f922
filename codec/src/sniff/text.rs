//! Payloads that are text: numbers, JSON, Ion.

use std::borrow::Cow;

use serde::de::IgnoredAny;

use crate::plain::number::may_be_decimal;

/// What kind of JSON a text is.
pub(super) enum Json {
    /// A text, a number, a flag: no place for a class name.
    Scalar,
    /// A class name stands where Jackson puts one.
    Typed,
    /// An object or a list without any.
    Untyped,
}

/// True if `text` has no control characters but those of lines and tables.
pub(super) fn is_printable(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte >= b' ' || b"\t\n\r".contains(&byte))
}

pub(super) fn is_whole_number(text: &str) -> bool {
    text.parse::<i64>().is_ok()
}

/// True if `text` is a number with a point or an exponent, or one of the three without digits.
pub(super) fn is_decimal(text: &str) -> bool {
    matches!(text, "NaN" | "Infinity" | "-Infinity")
        || (may_be_decimal(text) && text.parse::<f64>().is_ok())
}

pub(super) fn json(text: &str) -> Option<Json> {
    serde_json::from_str::<IgnoredAny>(text).ok()?;
    let typed = match text.trim_start().as_bytes().first()? {
        b'{' => names_a_class_inside(text),
        b'[' => names_a_class_inside(text) || is_pair_with_class(text),
        _ => return Some(Json::Scalar),
    };
    Some(if typed { Json::Typed } else { Json::Untyped })
}

fn names_a_class_inside(text: &str) -> bool {
    text.contains(r#""@class":"#) || text.contains(r#"["java."#)
}

/// `["com.example.Status","PAID"]`: two elements, and the first could be a class.
fn is_pair_with_class(text: &str) -> bool {
    let pair = serde_json::from_str::<(Cow<'_, str>, IgnoredAny)>(text);
    pair.is_ok_and(|(name, _)| {
        let of_name = |letter: char| letter.is_alphanumeric() || "._$[;<>,".contains(letter);
        (name.contains('.') || name.starts_with('[')) && name.chars().all(of_name)
    })
}

/// True if `text` is one value of Ion as far as brackets and quotes tell: `'x.Order'::{id:1}`.
pub(super) fn is_ion(text: &str) -> bool {
    let mut value = text.as_bytes();
    while let Some(annotation) = quoted(value, b'\'') {
        match value[annotation..].strip_prefix(b"::") {
            Some(rest) => value = rest,
            None => return false,
        }
    }
    match value.first() {
        None => false,
        Some(b'{' | b'[' | b'"') => is_closed(value),
        // A number or a word is Ion for sure only behind an annotation.
        Some(_) => value.len() < text.len() && !value.contains(&b' '),
    }
}

/// True if the bracket or quote at the front closes with the last byte, and all inside match.
fn is_closed(value: &[u8]) -> bool {
    let mut open = Vec::new();
    let mut at = 0;
    while let Some(&byte) = value.get(at) {
        match byte {
            b'"' | b'\'' => match quoted(&value[at..], byte) {
                Some(length) => at += length - 1,
                None => return false,
            },
            b'{' => open.push(b'}'),
            b'[' => open.push(b']'),
            b'}' | b']' if open.pop() != Some(byte) => return false,
            _ => {}
        }
        at += 1;
        if open.is_empty() {
            return at == value.len();
        }
    }
    false
}

/// How long the piece in `quote`s is that `bytes` starts with, quotes included.
fn quoted(bytes: &[u8], quote: u8) -> Option<usize> {
    let mut escaped = false;
    let end = bytes.strip_prefix(&[quote])?.iter().position(|byte| {
        let end = !escaped && *byte == quote;
        escaped = !escaped && *byte == b'\\';
        end
    })?;
    Some(end + 2)
}
