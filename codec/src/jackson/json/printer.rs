use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::jackson::number::check_length;
use crate::jackson::sink::{Sink, Written};
use crate::jackson::tape::{CLASS, Token};
use crate::java::BigDecimal;
use crate::json::text::{self, push_character, push_quoted, push_unit};
use crate::plain::number::{push_float, push_whole};

/// What Jackson 2 and Jackson 3 spell in different ways.
#[derive(Clone, Copy, Debug)]
pub(in crate::jackson) enum Spelling {
    /// Characters beyond U+FFFF as two escapes, decimal numbers without an exponent.
    Jackson2,
    /// Such characters raw, decimal numbers as `BigDecimal.toString` has them.
    Jackson3,
}

impl Spelling {
    /// The most UTF-16 units of a text that Java reads.
    fn longest(self) -> usize {
        match self {
            Self::Jackson2 => text::LONGEST,
            Self::Jackson3 => 100_000_000,
        }
    }
}

/// Writes values as Jackson does, without a space.
pub(in crate::jackson) struct Printer<'a> {
    pub(in crate::jackson) out: &'a mut Vec<u8>,
    pub(in crate::jackson) spelling: Spelling,
}

impl Printer<'_> {
    /// Writes a comma, unless the value or the property is the first. No value ends like that.
    fn next(&mut self) {
        if !matches!(self.out.last(), None | Some(b'[' | b'{' | b':')) {
            self.out.push(b',');
        }
    }

    fn quoted(&mut self, text: &str) {
        let escapes_pairs = matches!(self.spelling, Spelling::Jackson2);
        push_quoted(self.out, text, |byte| escapes_pairs && byte >= 0xf0);
    }

    fn text(&mut self, text: &str) -> Written {
        text::check(text, self.spelling.longest())?;
        self.quoted(text);
        Ok(())
    }

    fn utf16(&mut self, units: &[u16]) -> Written {
        text::check_units(units.len(), self.spelling.longest())?;
        let spelling = self.spelling;
        let out = &mut *self.out;
        out.push(b'"');
        for character in char::decode_utf16(units.iter().copied()) {
            match character {
                Ok(character) => push(out, character, spelling),
                Err(half) => {
                    push_unit(out, half.unpaired_surrogate());
                }
            }
        }
        out.push(b'"');
        Ok(())
    }

    fn decimal(&self, number: &BigDecimal) -> String {
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

impl Sink for Printer<'_> {
    fn leaf(&mut self, leaf: &Token<'_>) -> Written {
        self.next();
        match leaf {
            Token::Boolean(true) => self.out.extend_from_slice(b"true"),
            Token::Boolean(false) => self.out.extend_from_slice(b"false"),
            Token::Integer(it) => push_whole(self.out, *it),
            Token::BigInteger(it) => self.out.extend(it.to_string().into_bytes()),
            Token::Float(it) if it.is_finite() => push_float(self.out, *it),
            Token::Float(it) => self.quoted(not_finite((*it).into())),
            Token::Double(it) if it.is_finite() => push_float(self.out, *it),
            Token::Double(it) => self.quoted(not_finite(*it)),
            Token::Decimal(it) => {
                let text = self.decimal(it);
                check_length(text.bytes().filter(u8::is_ascii_digit).count())?;
                self.out.extend_from_slice(text.as_bytes());
            }
            Token::Number(it) => self.out.extend_from_slice(it.as_bytes()),
            Token::String(it) => self.text(it)?,
            Token::Utf16(it) => self.utf16(it)?,
            Token::Bytes(it) => self.quoted(&STANDARD.encode(it)),
            _ => self.out.extend_from_slice(b"null"),
        }
        Ok(())
    }

    fn string(&mut self, text: &str) -> Written {
        self.next();
        self.text(text)
    }

    fn begin_array(&mut self, _: usize, tag: Option<&str>) -> Written {
        if let Some(class) = tag {
            self.begin_tag(class)?;
        }
        self.next();
        self.out.push(b'[');
        Ok(())
    }

    fn end_array(&mut self, is_tagged: bool) -> Written {
        self.out
            .extend_from_slice(if is_tagged { b"]]" } else { b"]" });
        Ok(())
    }

    fn begin_object(&mut self, _: usize, tag: Option<&str>) -> Written {
        self.next();
        self.out.push(b'{');
        if let Some(class) = tag {
            self.name(CLASS)?;
            self.quoted(class);
        }
        Ok(())
    }

    fn name(&mut self, name: &str) -> Written {
        text::check_name(name)?;
        self.next();
        self.quoted(name);
        self.out.push(b':');
        Ok(())
    }

    fn end_object(&mut self) -> Written {
        self.out.push(b'}');
        Ok(())
    }

    fn begin_tag(&mut self, class: &str) -> Written {
        self.next();
        self.out.push(b'[');
        self.quoted(class);
        Ok(())
    }

    fn end_tag(&mut self) -> Written {
        self.out.push(b']');
        Ok(())
    }
}

fn push(out: &mut Vec<u8>, character: char, spelling: Spelling) {
    match (spelling, character) {
        (Spelling::Jackson3, '\u{10000}'..) => {
            out.extend(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        _ => push_character(out, character),
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
