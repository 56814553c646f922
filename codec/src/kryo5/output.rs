use super::Result;
use crate::java::Mismatch;

/// A payload under construction.
#[derive(Debug)]
pub(super) struct Output<'a> {
    bytes: &'a mut Vec<u8>,
}

impl<'a> Output<'a> {
    pub(super) fn new(bytes: &'a mut Vec<u8>) -> Self {
        Self { bytes }
    }

    #[inline]
    pub(super) fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    pub(super) fn boolean(&mut self, flag: bool) {
        self.byte(flag.into());
    }

    /// A 1 before a value that could be null, if there is to be one.
    #[inline]
    pub(super) fn mark(&mut self, is_marked: bool) {
        if is_marked {
            self.byte(1);
        }
    }

    #[inline]
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// A 32-bit number, low 7 bits first; the top bit of a byte says that another follows.
    #[inline]
    pub(super) fn varint(&mut self, number: u32) {
        self.varlong(number.into());
    }

    /// A 64-bit number like a varint; the ninth byte holds eight bits and is the last.
    #[inline]
    pub(super) fn varlong(&mut self, number: u64) {
        match number < 0x80 {
            true => self.byte(number as u8),
            false => self.longer(number),
        }
    }

    /// A number that takes more than a byte.
    #[inline(never)]
    fn longer(&mut self, mut number: u64) {
        let (mut bytes, mut last) = ([0; 9], 0);
        while number >= 0x80 && last < 8 {
            bytes[last] = number as u8 | 0x80;
            number >>= 7;
            last += 1;
        }
        bytes[last] = number as u8;
        self.bytes(&bytes[..=last]);
    }

    /// A varint whose bits are those of a signed number.
    pub(super) fn int(&mut self, number: i32) {
        self.varint(number.cast_unsigned());
    }

    /// A varlong whose bits are those of a signed number.
    pub(super) fn long(&mut self, number: i64) {
        self.varlong(number.cast_unsigned());
    }

    /// A varint with the sign in its lowest bit.
    pub(super) fn zigzag(&mut self, number: i32) {
        self.int(number << 1 ^ number >> 31);
    }

    /// A varlong with the sign in its lowest bit.
    pub(super) fn long_zigzag(&mut self, number: i64) {
        self.long(number << 1 ^ number >> 63);
    }

    /// A flag, and a number of which the first byte holds six bits.
    pub(super) fn flagged(&mut self, flag: bool, number: u32) {
        let first = number as u8 & 0x3f | if flag { 0x80 } else { 0 };
        if number < 0x40 {
            return self.byte(first);
        }
        self.byte(first | 0x40);
        self.varint(number >> 6);
    }

    /// A length plus one, 0 being null.
    pub(super) fn length(&mut self, length: usize) -> Result<()> {
        self.varint(one_more(length)?);
        Ok(())
    }

    /// A string. A character beyond U+FFFF is two surrogates of three bytes each: Java would read
    /// four bytes of UTF-8 as four other characters.
    pub(super) fn text(&mut self, text: &str) -> Result<()> {
        if (2..=32).contains(&text.len()) && text.is_ascii() {
            self.ascii(text);
            return Ok(());
        }
        self.behind_length(text)
    }

    #[inline(never)]
    fn behind_length(&mut self, text: &str) -> Result<()> {
        let units = text.encode_utf16().count();
        self.flagged(true, one_more(units)?);
        if text.bytes().all(|it| it < 0xf0) {
            self.bytes(text.as_bytes());
            return Ok(());
        }
        for char in text.chars() {
            if u32::from(char) < 0x10000 {
                self.bytes(char.encode_utf8(&mut [0; 4]).as_bytes());
                continue;
            }
            for unit in char.encode_utf16(&mut [0; 2]) {
                self.unit(*unit);
            }
        }
        Ok(())
    }

    /// A string with half a surrogate pair.
    pub(super) fn units(&mut self, units: &[u16]) -> Result<()> {
        // The caller may have passed a valid string.
        if let Ok(text) = String::from_utf16(units) {
            return self.text(&text);
        }
        self.flagged(true, one_more(units.len())?);
        for unit in units {
            self.unit(*unit);
        }
        Ok(())
    }

    /// The name of a class, or of a locale. ASCII names of two characters and more have no limit.
    pub(super) fn name(&mut self, name: &str) -> Result<()> {
        if name.len() >= 2 && name.is_ascii() {
            self.ascii(name);
            return Ok(());
        }
        self.text(name)
    }

    fn ascii(&mut self, text: &str) {
        self.bytes(text.as_bytes());
        if let Some(last) = self.bytes.last_mut() {
            *last |= 0x80;
        }
    }

    fn unit(&mut self, unit: u16) {
        let low = |shift: u16| 0x80 | (unit >> shift & 0x3f) as u8;
        match unit {
            0..0x80 => self.byte(unit as u8),
            0x80..0x800 => self.bytes(&[0xc0 | (unit >> 6) as u8, low(0)]),
            _ => self.bytes(&[0xe0 | (unit >> 12) as u8, low(6), low(0)]),
        }
    }
}

/// A length as it is written; Java has no longer ones.
#[inline]
pub(super) fn one_more(length: usize) -> Result<u32> {
    match i32::try_from(length) {
        Ok(length) if length < i32::MAX => Ok(length.cast_unsigned() + 1),
        _ => Err(too_long(length)),
    }
}

#[cold]
fn too_long(length: usize) -> Mismatch {
    Mismatch::because(format!("length {length} is beyond java's"))
}
