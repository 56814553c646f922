use crate::jackson::number::LONGEST;
use crate::jackson::tree::{DEEPEST, Tree};
use crate::java::Malformed;

/// Reads JSON of any kind.
///
/// serde_json would round the digits of a `BigDecimal` and refuse half a surrogate pair; what keeps
/// the digits is a feature that changes it for the whole program.
pub(in crate::jackson) fn parse(text: &[u8]) -> Result<Tree, Malformed> {
    let text = str::from_utf8(text).map_err(|error| Malformed {
        reason: "no UTF-8",
        offset: error.valid_up_to(),
    })?;
    let mut parser = Parser { text, at: 0 };
    let tree = parser.value(0)?;
    parser.spaces();
    if parser.at < text.len() {
        return Err(parser.malformed("more than one value"));
    }
    Ok(tree)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn value(&mut self, depth: usize) -> Result<Tree, Malformed> {
        self.spaces();
        match self.peek() {
            Some(b'{') if depth < DEEPEST => self.object(depth + 1),
            Some(b'[') if depth < DEEPEST => self.array(depth + 1),
            Some(b'{' | b'[') => Err(self.malformed("too many levels")),
            Some(b'"') => self.string(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Tree::Boolean(true)),
            Some(b'f') => self.word("false", Tree::Boolean(false)),
            Some(b'n') => self.word("null", Tree::Null),
            Some(_) => Err(self.malformed("no value")),
            None => Err(self.malformed("the end instead of a value")),
        }
    }

    fn array(&mut self, depth: usize) -> Result<Tree, Malformed> {
        let mut items = Vec::new();
        self.at += 1;
        self.spaces();
        if self.skip(b']') {
            return Ok(Tree::Array(items));
        }
        loop {
            items.push(self.value(depth)?);
            self.spaces();
            if self.skip(b']') {
                return Ok(Tree::Array(items));
            }
            if !self.skip(b',') {
                return Err(self.malformed("neither a comma nor the end of the array"));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Tree, Malformed> {
        let mut properties = Vec::new();
        self.at += 1;
        self.spaces();
        if self.skip(b'}') {
            return Ok(Tree::Object(properties));
        }
        loop {
            self.spaces();
            let start = self.at;
            let name = match self.peek() {
                Some(b'"') => self.string()?,
                _ => return Err(self.malformed("no name of a property")),
            };
            let Tree::String(name) = name else {
                self.at = start;
                return Err(self.malformed("half a surrogate pair in a name"));
            };
            self.spaces();
            if !self.skip(b':') {
                return Err(self.malformed("no colon"));
            }
            properties.push((name.into(), self.value(depth)?));
            self.spaces();
            if self.skip(b'}') {
                return Ok(Tree::Object(properties));
            }
            if !self.skip(b',') {
                return Err(self.malformed("neither a comma nor the end of the object"));
            }
        }
    }

    fn string(&mut self) -> Result<Tree, Malformed> {
        self.at += 1;
        let start = self.at;
        let mut escaped = false;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    // What is escaped is looked at below; it must not end the string.
                    self.at += 2;
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
            return Ok(Tree::String(self.text[start..end].to_owned()));
        }
        self.unescape(start, end)
    }

    /// Reads a string with escapes. Half a surrogate pair can only be written as one.
    fn unescape(&mut self, start: usize, end: usize) -> Result<Tree, Malformed> {
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
        Ok(Tree::from_utf16(units))
    }

    fn number(&mut self) -> Result<Tree, Malformed> {
        let start = self.at;
        self.skip(b'-');
        let whole = self.digits();
        if whole == 0 || whole > 1 && self.text.as_bytes()[self.at - whole] == b'0' {
            return Err(self.malformed("no number"));
        }
        let mut integer = true;
        if self.skip(b'.') {
            integer = false;
            if self.digits() == 0 {
                return Err(self.malformed("no digit behind the point"));
            }
        }
        if self.skip(b'e') || self.skip(b'E') {
            integer = false;
            let _ = self.skip(b'+') || self.skip(b'-');
            if self.digits() == 0 {
                return Err(self.malformed("no digit of the exponent"));
            }
        }
        let text = &self.text[start..self.at];
        if text.len() > LONGEST {
            self.at = start;
            return Err(self.malformed("a number of more than 1000 digits"));
        }
        if !integer {
            return Ok(Tree::Number(text.to_owned()));
        }
        Ok(match text.parse() {
            Ok(number) => Tree::Integer(number),
            Err(_) => Tree::BigInteger(text.parse().unwrap_or_default()),
        })
    }

    /// Reads past digits, and tells how many there were.
    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - start
    }

    fn word(&mut self, word: &'static str, tree: Tree) -> Result<Tree, Malformed> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.malformed("no value"));
        }
        self.at += word.len();
        Ok(tree)
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
