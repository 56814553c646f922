//! From JSON to a tape.

use std::borrow::Cow;

use crate::jackson::number::LONGEST;
use crate::jackson::tape::{DEEPEST, Tape, Token};
use crate::java::Malformed;
use crate::json::text;

/// Reads JSON of any kind.
///
/// serde_json would round the digits of a `BigDecimal` and refuse half a surrogate pair; what keeps
/// the digits is a feature that changes it for the whole program.
pub(in crate::jackson) fn parse(text: &[u8]) -> Result<Tape<'_>, Malformed> {
    let text = str::from_utf8(text).map_err(|error| Malformed {
        reason: "no UTF-8",
        offset: error.valid_up_to(),
    })?;
    let tape = Tape::new(text.len());
    let mut parser = Parser { text, at: 0, tape };
    parser.value(0)?;
    parser.spaces();
    if parser.at < text.len() {
        return Err(parser.malformed("more than one value"));
    }
    Ok(parser.tape)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    tape: Tape<'a>,
}

impl<'a> Parser<'a> {
    fn value(&mut self, depth: usize) -> Result<(), Malformed> {
        self.spaces();
        match self.peek() {
            Some(b'{') if depth < DEEPEST => self.object(depth + 1),
            Some(b'[') if depth < DEEPEST => self.array(depth + 1),
            Some(b'{' | b'[') => Err(self.malformed("too many levels")),
            Some(b'"') => self.string(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Token::Boolean(true)),
            Some(b'f') => self.word("false", Token::Boolean(false)),
            Some(b'n') => self.word("null", Token::Null),
            Some(_) => Err(self.malformed("no value")),
            None => Err(self.malformed("the end instead of a value")),
        }
    }

    fn array(&mut self, depth: usize) -> Result<(), Malformed> {
        let (place, mut count) = (self.tape.open(), 0);
        self.at += 1;
        self.spaces();
        while count > 0 || !self.skip(b']') {
            self.value(depth)?;
            count += 1;
            self.spaces();
            if self.skip(b']') {
                break;
            }
            if !self.skip(b',') {
                return Err(self.malformed("neither a comma nor the end of the array"));
            }
        }
        self.tape.end_array(place, count);
        Ok(())
    }

    fn object(&mut self, depth: usize) -> Result<(), Malformed> {
        let (place, mut count) = (self.tape.open(), 0);
        self.at += 1;
        self.spaces();
        while count > 0 || !self.skip(b'}') {
            self.spaces();
            let start = self.at;
            let name = self.tape.len();
            match self.peek() {
                Some(b'"') => self.string()?,
                _ => return Err(self.malformed("no name of a property")),
            }
            if !self.tape.is_name(name) {
                self.at = start;
                return Err(self.malformed("half a surrogate pair in a name"));
            }
            self.spaces();
            if !self.skip(b':') {
                return Err(self.malformed("no colon"));
            }
            self.value(depth)?;
            count += 1;
            self.spaces();
            if self.skip(b'}') {
                break;
            }
            if !self.skip(b',') {
                return Err(self.malformed("neither a comma nor the end of the object"));
            }
        }
        self.tape.end_object(place, count);
        Ok(())
    }

    fn string(&mut self) -> Result<(), Malformed> {
        self.at += 1;
        let start = self.at;
        let mut escaped = false;
        loop {
            if let Some(eight) = self.text.as_bytes()[self.at..].first_chunk() {
                let plain = text::plain(*eight);
                self.at += plain;
                if plain == 8 {
                    continue;
                }
            }
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    // What is escaped is looked at below; it must not end the string.
                    self.at = (self.at + 2).min(self.text.len());
                }
                Some(..b' ') => return Err(self.malformed("a raw control character")),
                Some(_) => self.at += 1,
                None => {
                    self.at = self.text.len();
                    return Err(self.malformed("the end instead of a quote"));
                }
            }
        }
        let end = self.at;
        self.at += 1;
        if !escaped {
            let text = &self.text[start..end];
            self.tape.push(Token::String(Cow::Borrowed(text)));
            return Ok(());
        }
        self.unescape(start, end)
    }

    /// Reads a string with escapes. Half a surrogate pair can only be written as one.
    fn unescape(&mut self, start: usize, end: usize) -> Result<(), Malformed> {
        let mut units = Vec::with_capacity(end - start);
        let mut rest = &self.text[start..end];
        while let Some(at) = rest.find('\\') {
            let offset = end - rest.len() + at;
            let escape = Malformed {
                reason: "no escape that json has",
                offset,
            };
            units.extend(rest[..at].encode_utf16());
            let (unit, length) = match rest.as_bytes().get(at + 1) {
                Some(b'u') => {
                    let digits = rest.get(at + 2..at + 6).ok_or(escape)?;
                    if !digits.bytes().all(|it| it.is_ascii_hexdigit()) {
                        return Err(escape);
                    }
                    (u16::from_str_radix(digits, 16).map_err(|_| escape)?, 6)
                }
                Some(b'b') => (8, 2),
                Some(b't') => (9, 2),
                Some(b'n') => (10, 2),
                Some(b'f') => (12, 2),
                Some(b'r') => (13, 2),
                Some(it @ (b'"' | b'\\' | b'/')) => (u16::from(*it), 2),
                _ => return Err(escape),
            };
            units.push(unit);
            rest = &rest[at + length..];
        }
        units.extend(rest.encode_utf16());
        self.tape.push(Token::from_utf16(units));
        Ok(())
    }

    fn number(&mut self) -> Result<(), Malformed> {
        let start = self.at;
        self.skip(b'-');
        let whole = self.digits();
        if whole == 0 || whole > 1 && self.text.as_bytes()[self.at - whole] == b'0' {
            return Err(self.malformed("no number"));
        }
        let (mut integer, mut digits) = (true, whole);
        if self.skip(b'.') {
            integer = false;
            let fraction = self.digits();
            if fraction == 0 {
                return Err(self.malformed("no digit behind the point"));
            }
            digits += fraction;
        }
        if self.skip(b'e') || self.skip(b'E') {
            integer = false;
            let _ = self.skip(b'+') || self.skip(b'-');
            let exponent = self.digits();
            if exponent == 0 {
                return Err(self.malformed("no digit of the exponent"));
            }
            digits += exponent;
        }
        let text = &self.text[start..self.at];
        if digits > LONGEST {
            self.at = start;
            return Err(self.malformed("a number of more than 1000 digits"));
        }
        if !integer {
            self.tape.push(Token::Number(text));
            return Ok(());
        }
        match text.parse() {
            Ok(number) => self.tape.push(Token::Integer(number)),
            Err(_) => {
                let number = Box::new(text.parse().unwrap_or_default());
                self.tape.push(Token::BigInteger(number));
            }
        }
        Ok(())
    }

    /// Reads past digits, and tells how many there were.
    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - start
    }

    fn word(&mut self, word: &'static str, token: Token<'a>) -> Result<(), Malformed> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.malformed("no value"));
        }
        self.at += word.len();
        self.tape.push(token);
        Ok(())
    }

    fn spaces(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn skip(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn malformed(&self, reason: &'static str) -> Malformed {
        Malformed {
            reason,
            offset: self.at,
        }
    }
}
