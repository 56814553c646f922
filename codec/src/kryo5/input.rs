use bytes::Bytes;

use super::Result;
use crate::java::{JavaValue, Mismatch};

/// A payload, and how far it has been read.
#[derive(Debug)]
pub(super) struct Input {
    bytes: Bytes,
    at: usize,
}

impl Input {
    pub(super) fn new(bytes: Bytes) -> Self {
        Self { bytes, at: 0 }
    }

    pub(super) fn offset(&self) -> usize {
        self.at
    }

    /// Goes to another place: one that was read before.
    pub(super) fn seek(&mut self, offset: usize) {
        self.at = offset;
    }

    #[inline]
    pub(super) fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    pub(super) fn fault(&self, what: impl Into<String>) -> Mismatch {
        Mismatch::at(self.at, what)
    }

    /// The bytes from an earlier offset to here, shared with the payload.
    pub(super) fn since(&self, start: usize) -> Bytes {
        self.bytes.slice(start..self.at)
    }

    #[inline]
    pub(super) fn byte(&mut self) -> Result<u8> {
        let [byte] = self.array()?;
        Ok(byte)
    }

    #[inline]
    pub(super) fn boolean(&mut self) -> Result<bool> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(Mismatch::at(
                self.at - 1,
                format!("expected 0 or 1, found {other:#04x}"),
            )),
        }
    }

    /// `N` bytes, for numbers of a fixed length, which are little endian.
    #[inline]
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let Some(bytes) = self.rest().first_chunk::<N>() else {
            return Err(self.ends(N));
        };
        let bytes = *bytes;
        self.at += N;
        Ok(bytes)
    }

    /// `length` bytes, shared with the payload.
    pub(super) fn slice(&mut self, length: usize) -> Result<Bytes> {
        if length > self.rest().len() {
            return Err(self.ends(length));
        }
        self.at += length;
        Ok(self.since(self.at - length))
    }

    #[cold]
    fn ends(&self, wanted: usize) -> Mismatch {
        let left = self.rest().len();
        self.fault(format!(
            "payload ends too early: {wanted} needed, {left} left"
        ))
    }

    /// A 32-bit number, low 7 bits first; the top bit of a byte says that another follows.
    #[inline]
    pub(super) fn varint(&mut self) -> Result<u32> {
        let start = self.at;
        let mut number = 0;
        for shift in [0, 7, 14, 21] {
            let byte = self.byte()?;
            number |= u32::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Ok(number | self.last_bits(start, 28)?)
    }

    /// The last byte of a number that begins at `start`. Java sets only the bits that are left of
    /// 32. A number that was declared as a `long` can have more.
    fn last_bits(&mut self, start: usize, shift: u32) -> Result<u32> {
        let bits = u32::from(self.byte()?);
        if bits >> (32 - shift) != 0 {
            let what = "a number of more than 32 bits where an int is declared";
            return Err(Mismatch::at(start, what));
        }
        Ok(bits << shift)
    }

    /// A 64-bit number like a varint; the ninth byte holds eight bits and is the last.
    pub(super) fn varlong(&mut self) -> Result<u64> {
        let mut number = 0;
        for shift in (0..56).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Ok(number | u64::from(self.byte()?) << 56)
    }

    /// A varint whose bits are those of a signed number.
    pub(super) fn int(&mut self) -> Result<i32> {
        self.varint().map(u32::cast_signed)
    }

    /// A varlong whose bits are those of a signed number.
    pub(super) fn long(&mut self) -> Result<i64> {
        self.varlong().map(u64::cast_signed)
    }

    /// A varint with the sign in its lowest bit.
    pub(super) fn zigzag(&mut self) -> Result<i32> {
        let bits = self.varint()?;
        Ok((bits >> 1).cast_signed() ^ -(bits & 1).cast_signed())
    }

    /// A varlong with the sign in its lowest bit.
    pub(super) fn long_zigzag(&mut self) -> Result<i64> {
        let bits = self.varlong()?;
        Ok((bits >> 1).cast_signed() ^ -(bits & 1).cast_signed())
    }

    /// A flag, and a number of which the first byte holds six bits.
    pub(super) fn flagged(&mut self) -> Result<(bool, u32)> {
        let start = self.at;
        let first = self.byte()?;
        let flag = first & 0x80 != 0;
        let mut number = u32::from(first & 0x3f);
        if first & 0x40 == 0 {
            return Ok((flag, number));
        }
        for shift in [6, 13, 20] {
            let byte = self.byte()?;
            number |= u32::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok((flag, number));
            }
        }
        Ok((flag, number | self.last_bits(start, 27)?))
    }

    /// A length that was written plus one; `None` stands for null.
    #[inline]
    pub(super) fn length(&mut self) -> Result<Option<usize>> {
        Ok((self.varint()? as usize).checked_sub(1))
    }

    /// A string, or null.
    pub(super) fn text(&mut self) -> Result<JavaValue> {
        match self.marked()? {
            Some(text) => Ok(JavaValue::String(text)),
            None => self.unmarked(),
        }
    }

    /// A string of ASCII whose last byte has its top bit set. `None` if another form of string comes
    /// next.
    pub(super) fn marked(&mut self) -> Result<Option<String>> {
        match self.ascii()? {
            [] => Ok(None),
            bytes => {
                let mut bytes = bytes.to_vec();
                if let Some(last) = bytes.last_mut() {
                    *last &= 0x7f;
                }
                Ok(Some(ascii(bytes)))
            }
        }
    }

    /// A string behind its length, or null.
    pub(super) fn unmarked(&mut self) -> Result<JavaValue> {
        let start = self.at;
        let units = match self.flagged()?.1 as usize {
            0 => return Ok(JavaValue::Null),
            more => more - 1,
        };
        // Each unit takes a byte at least.
        let Some(head) = self.rest().get(..units) else {
            let what = format!("string of {units} characters is longer than the payload");
            return Err(Mismatch::at(start, what));
        };
        if head.is_ascii() {
            let text = ascii(head.to_vec());
            self.at += units;
            return Ok(JavaValue::String(text));
        }
        let mut text = Vec::with_capacity(units);
        for _ in 0..units {
            text.push(self.unit()?);
        }
        Ok(JavaValue::from_utf16(text))
    }

    /// The bytes of an ASCII string, the last of which has its top bit set. None if another form of
    /// string comes next.
    #[inline]
    fn ascii(&mut self) -> Result<&[u8]> {
        let rest = self.rest();
        let (eights, last) = rest.as_chunks::<8>();
        let top_bits = |eight: &[u8; 8]| u64::from_le_bytes(*eight) & 0x8080_8080_8080_8080;
        let last = match eights.iter().position(|it| top_bits(it) != 0) {
            Some(at) => Some(at * 8 + (top_bits(&eights[at]).trailing_zeros() / 8) as usize),
            None => {
                let at = last.iter().position(|byte| byte & 0x80 != 0);
                at.map(|it| eights.len() * 8 + it)
            }
        };
        let start = self.at;
        match last {
            Some(0) => {}
            Some(last) => self.at += last + 1,
            None => return Err(self.no_end()),
        }
        Ok(&self.bytes[start..self.at])
    }

    #[cold]
    fn no_end(&self) -> Mismatch {
        match self.rest().is_empty() {
            true => self.ends(1),
            false => self.fault("string has no end"),
        }
    }

    /// Reads past this name, if it comes next.
    pub(super) fn skip_name(&mut self, name: &str) -> bool {
        let [first @ .., last] = name.as_bytes() else {
            return false;
        };
        let Some((head, [end, ..])) = self.rest().split_at_checked(first.len()) else {
            return false;
        };
        let is_next = *end == last | 0x80 && head == first && name.is_ascii();
        if is_next {
            self.at += name.len();
        }
        is_next
    }

    /// Looks up a name, without a copy of it if it is short, or returns it.
    pub(super) fn named<T>(
        &mut self,
        find: impl FnOnce(&str) -> Option<T>,
    ) -> Result<(Option<T>, Option<String>)> {
        let start = self.at;
        if self.rest().first().is_some_and(|it| it & 0x80 == 0) {
            let bytes = self.ascii()?;
            let mut short = [0; 128];
            if let Some(short) = short.get_mut(..bytes.len()) {
                short.copy_from_slice(bytes);
                if let Some(last) = short.last_mut() {
                    *last &= 0x7f;
                }
                let found = str::from_utf8(short).ok().and_then(find);
                if found.is_some() {
                    return Ok((found, None));
                }
                self.at = start;
                return Ok((None, Some(self.name()?)));
            }
            self.at = start;
        }
        let name = self.name()?;
        Ok((find(&name), Some(name)))
    }

    /// One UTF-16 unit as one to three bytes.
    fn unit(&mut self) -> Result<u16> {
        let start = self.at;
        let first = self.byte()?;
        let (high, more) = match first {
            0..0x80 => return Ok(u16::from(first)),
            0xc0..0xe0 => (u16::from(first & 0x1f), 1),
            0xe0..0xf0 => (u16::from(first & 0x0f), 2),
            _ => {
                let what = format!("byte {first:#04x} begins no character");
                return Err(Mismatch::at(start, what));
            }
        };
        let mut unit = high;
        for _ in 0..more {
            unit = unit << 6 | u16::from(self.byte()? & 0x3f);
        }
        Ok(unit)
    }

    /// A string that must be there, such as the name of a class.
    pub(super) fn name(&mut self) -> Result<String> {
        let start = self.at;
        match self.text()? {
            JavaValue::String(text) => Ok(text),
            JavaValue::Null => Err(Mismatch::at(start, "expected a text, found null")),
            _ => Err(Mismatch::at(start, "text has half a surrogate pair")),
        }
    }
}

/// A text of bytes that are all ASCII.
fn ascii(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_default()
}
