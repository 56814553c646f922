use super::{JavaValue, Malformed};

/// Reads numbers and texts as `java.io.DataInput` does, most significant byte first.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// How many bytes have been read.
    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// How many bytes are left.
    pub(crate) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// An error about the byte that comes next.
    pub(crate) fn malformed(&self, reason: &'static str) -> Malformed {
        Malformed {
            reason,
            offset: self.at,
        }
    }

    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        if length > self.left() {
            return Err(self.malformed("the bytes end too early"));
        }
        let taken = &self.bytes[self.at..self.at + length];
        self.at += length;
        Ok(taken)
    }

    pub(crate) fn peek(&self) -> Result<u8, Malformed> {
        let next = self.bytes.get(self.at).copied();
        next.ok_or_else(|| self.malformed("the bytes end too early"))
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Malformed> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(crate) fn i8(&mut self) -> Result<i8, Malformed> {
        self.array().map(i8::from_be_bytes)
    }

    pub(crate) fn u16(&mut self) -> Result<u16, Malformed> {
        self.array().map(u16::from_be_bytes)
    }

    pub(crate) fn i32(&mut self) -> Result<i32, Malformed> {
        self.array().map(i32::from_be_bytes)
    }

    pub(crate) fn i64(&mut self) -> Result<i64, Malformed> {
        self.array().map(i64::from_be_bytes)
    }

    /// An `int` that counts what comes next, each of at least `size` bytes.
    pub(crate) fn count(&mut self, size: usize) -> Result<usize, Malformed> {
        let before = self.at;
        let count = usize::try_from(self.i32()?).ok();
        count
            .filter(|count| count.saturating_mul(size) <= self.left())
            .ok_or(Malformed {
                reason: "a length is more than the bytes that are left",
                offset: before,
            })
    }

    /// A value of the primitive type that has this letter in names of array classes.
    pub(crate) fn primitive(&mut self, letter: u8) -> Result<JavaValue, Malformed> {
        Ok(match letter {
            b'B' => JavaValue::Byte(self.i8()?),
            b'C' => JavaValue::Character(self.u16()?),
            b'D' => JavaValue::Double(self.array().map(f64::from_be_bytes)?),
            b'F' => JavaValue::Float(self.array().map(f32::from_be_bytes)?),
            b'I' => JavaValue::Integer(self.i32()?),
            b'J' => JavaValue::Long(self.i64()?),
            b'S' => JavaValue::Short(self.array().map(i16::from_be_bytes)?),
            b'Z' => JavaValue::Boolean(self.u8()? != 0),
            _ => return Err(self.malformed("a type is none of Java's")),
        })
    }

    /// A text of at most 65,535 bytes, as `DataInput.readUTF` reads it.
    pub(crate) fn utf(&mut self) -> Result<JavaValue, Malformed> {
        let length = usize::from(self.u16()?);
        self.text(length)
    }

    /// A text that is a name, and so has no half of a surrogate pair.
    pub(crate) fn name(&mut self) -> Result<String, Malformed> {
        let before = self.at;
        match self.utf()? {
            JavaValue::String(name) => Ok(name),
            _ => Err(Malformed {
                reason: "a name is not Unicode text",
                offset: before,
            }),
        }
    }

    /// A name behind the number of its UTF-16 units.
    #[cfg(feature = "marshalling")]
    pub(crate) fn long_name(&mut self) -> Result<String, Malformed> {
        let before = self.at;
        let count = self.count(1)?;
        match self.units(count)? {
            JavaValue::String(name) => Ok(name),
            _ => Err(Malformed {
                reason: "a name is not Unicode text",
                offset: before,
            }),
        }
    }

    /// A text of `count` UTF-16 units in the UTF-8 of `DataInput`.
    #[cfg(feature = "marshalling")]
    pub(crate) fn units(&mut self, count: usize) -> Result<JavaValue, Malformed> {
        if count > self.left() {
            return Err(self.malformed("the bytes end too early"));
        }
        let mut units = Vec::with_capacity(count);
        let mut rest = &self.bytes[self.at..];
        while units.len() < count {
            let Some((unit, after)) = unit(rest) else {
                return Err(Malformed {
                    reason: "a text is not in Java's UTF-8",
                    offset: self.bytes.len() - rest.len(),
                });
            };
            units.push(unit);
            rest = after;
        }
        self.at = self.bytes.len() - rest.len();
        Ok(JavaValue::from_utf16(units))
    }

    /// A text of `length` bytes in the UTF-8 of `DataInput`: a character beyond U+FFFF is two
    /// surrogates of three bytes each, U+0000 may be two bytes.
    pub(crate) fn text(&mut self, length: usize) -> Result<JavaValue, Malformed> {
        let start = self.at;
        let bytes = self.take(length)?;
        if bytes.is_ascii() {
            let text = String::from_utf8_lossy(bytes).into_owned();
            return Ok(JavaValue::String(text));
        }
        let mut units = Vec::with_capacity(length);
        let mut rest = bytes;
        while let Some((unit, after)) = unit(rest) {
            units.push(unit);
            rest = after;
        }
        if !rest.is_empty() {
            return Err(Malformed {
                reason: "a text is not in Java's UTF-8",
                offset: start + length - rest.len(),
            });
        }
        Ok(JavaValue::from_utf16(units))
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let before = self.at;
        let taken = self.take(N)?;
        taken.try_into().map_err(|_| Malformed {
            reason: "the bytes end too early",
            offset: before,
        })
    }
}

/// Splits the first UTF-16 unit off.
pub(crate) fn unit(bytes: &[u8]) -> Option<(u16, &[u8])> {
    let low = |byte: u8| (byte & 0xc0 == 0x80).then_some(u16::from(byte & 0x3f));
    match *bytes {
        [a @ ..0x80, ref rest @ ..] => Some((u16::from(a), rest)),
        [a @ 0xc0..0xe0, b, ref rest @ ..] => Some((u16::from(a & 0x1f) << 6 | low(b)?, rest)),
        [a @ 0xe0..0xf0, b, c, ref rest @ ..] => {
            Some((u16::from(a & 0x0f) << 12 | low(b)? << 6 | low(c)?, rest))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> Result<JavaValue, Malformed> {
        Cursor::new(bytes).text(bytes.len())
    }

    #[test]
    fn texts_are_read_as_data_input_reads_them() {
        assert_eq!(text(b"a\0b").unwrap(), "a\0b".into());
        assert_eq!(
            text(b"a\xc0\x80\xc3\xa9\xe4\xb8\x96").unwrap(),
            "a\0é世".into()
        );
        assert_eq!(text(b"\xed\xa0\xbd\xed\xba\x80").unwrap(), "🚀".into());
        assert_eq!(
            text(b"x\xed\xa0\x80y").unwrap(),
            JavaValue::Utf16(vec![0x78, 0xd800, 0x79])
        );
    }

    #[test]
    fn other_texts_are_refused_where_they_go_wrong() {
        for (bytes, offset) in [
            (&b"ab\xf0\x9f\x9a\x80"[..], 2),
            (b"\xc3", 0),
            (b"a\xc3a", 1),
            (b"\xc3\xa9\xe4\xb8", 2),
            (b"\x80", 0),
        ] {
            assert_eq!(text(bytes).unwrap_err().offset, offset, "{bytes:?}");
        }
    }

    #[test]
    fn counts_that_promise_too_much_are_refused() {
        let bytes = b"\0\0\0\x02abcd";
        assert_eq!(Cursor::new(bytes).count(2).unwrap(), 2);
        assert!(Cursor::new(bytes).count(3).is_err());
        assert!(Cursor::new(b"\xff\xff\xff\xff").count(1).is_err());
        assert!(Cursor::new(b"\x7f\xff\xff\xff").count(usize::MAX).is_err());
    }
}
