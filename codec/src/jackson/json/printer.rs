use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::jackson::tree::{Label, Tree};
use crate::java::BigDecimal;
use crate::json::text::push_character;
use crate::plain::number::push_float;

/// What Jackson 2 and Jackson 3 spell in different ways.
#[derive(Clone, Copy, Debug)]
pub(in crate::jackson) enum Spelling {
    /// Characters beyond U+FFFF as two escapes, decimal numbers without an exponent.
    Jackson2,
    /// Such characters raw, decimal numbers as `BigDecimal.toString` has them.
    Jackson3,
}

/// Writes a tree as Jackson does, without a space.
pub(in crate::jackson) fn print(tree: &Tree, spelling: Spelling) -> Vec<u8> {
    let mut out = Vec::new();
    Printer { spelling }.tree(&mut out, tree);
    out
}

#[derive(Clone, Copy)]
struct Printer {
    spelling: Spelling,
}

impl Printer {
    fn tree(self, out: &mut Vec<u8>, tree: &Tree) {
        match tree {
            Tree::Null => out.extend(b"null"),
            Tree::Boolean(true) => out.extend(b"true"),
            Tree::Boolean(false) => out.extend(b"false"),
            Tree::Integer(it) => out.extend(it.to_string().into_bytes()),
            Tree::BigInteger(it) => out.extend(it.to_string().into_bytes()),
            Tree::Float(it) if it.is_finite() => push_float(out, *it),
            Tree::Float(it) => self.string(out, not_finite((*it).into())),
            Tree::Double(it) if it.is_finite() => push_float(out, *it),
            Tree::Double(it) => self.string(out, not_finite(*it)),
            Tree::Decimal(it) => out.extend(self.decimal(it).into_bytes()),
            Tree::Number(it) => out.extend(it.as_bytes()),
            Tree::String(it) => self.string(out, it),
            Tree::Utf16(it) => self.utf16(out, it),
            Tree::Bytes(it) => self.string(out, &STANDARD.encode(it)),
            Tree::Array(items) => self.array(out, items),
            Tree::Object(properties) => self.object(out, None, properties),
            Tree::Tagged(class, inner) => match &**inner {
                Tree::Object(properties) => self.object(out, Some(class), properties),
                inner => {
                    out.push(b'[');
                    self.string(out, class);
                    out.push(b',');
                    self.tree(out, inner);
                    out.push(b']');
                }
            },
        }
    }

    fn array(self, out: &mut Vec<u8>, items: &[Tree]) {
        out.push(b'[');
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                out.push(b',');
            }
            self.tree(out, item);
        }
        out.push(b']');
    }

    fn object(self, out: &mut Vec<u8>, class: Option<&str>, properties: &[(Label, Tree)]) {
        out.push(b'{');
        if let Some(class) = class {
            self.string(out, Tree::CLASS);
            out.push(b':');
            self.string(out, class);
        }
        for (i, (name, value)) in properties.iter().enumerate() {
            if i > 0 || class.is_some() {
                out.push(b',');
            }
            match name {
                Label::Text(name) => self.string(out, name),
                Label::Number(_) => self.string(out, &name.to_string()),
            }
            out.push(b':');
            self.tree(out, value);
        }
        out.push(b'}');
    }

    fn string(self, out: &mut Vec<u8>, text: &str) {
        out.push(b'"');
        for character in text.chars() {
            self.character(out, character);
        }
        out.push(b'"');
    }

    fn utf16(self, out: &mut Vec<u8>, units: &[u16]) {
        out.push(b'"');
        for character in char::decode_utf16(units.iter().copied()) {
            match character {
                Ok(character) => self.character(out, character),
                Err(half) => {
                    out.extend(format!("\\u{:04X}", half.unpaired_surrogate()).into_bytes());
                }
            }
        }
        out.push(b'"');
    }

    fn character(self, out: &mut Vec<u8>, character: char) {
        match (self.spelling, character) {
            (Spelling::Jackson3, '\u{10000}'..) => {
                out.extend(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
            _ => push_character(out, character),
        }
    }

    fn decimal(self, number: &BigDecimal) -> String {
        match (self.spelling, number.scale) {
            (Spelling::Jackson3, _) | (_, 0) => number.to_string(),
            (Spelling::Jackson2, ..0) if number.unscaled == 0.into() => "0".to_owned(),
            (Spelling::Jackson2, scale @ ..0) => {
                let zeros = "0".repeat(scale.unsigned_abs() as usize);
                format!("{}{zeros}", number.unscaled)
            }
            (Spelling::Jackson2, scale) => {
                let digits = number.unscaled.magnitude().to_string();
                let scale = scale.unsigned_abs() as usize;
                let digits = format!("{digits:0>width$}", width = scale + 1);
                let (whole, fraction) = digits.split_at(digits.len() - scale);
                let negative = number.unscaled.sign() == num_bigint::Sign::Minus;
                let sign = if negative { "-" } else { "" };
                format!("{sign}{whole}.{fraction}")
            }
        }
    }
}

/// JSON has no such number: Jackson writes a text.
fn not_finite(number: f64) -> &'static str {
    match number {
        _ if number.is_nan() => "NaN",
        _ if number > 0.0 => "Infinity",
        _ => "-Infinity",
    }
}
