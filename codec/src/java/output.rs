#[cfg(feature = "serialization")]
use std::borrow::Cow;

use super::View;

/// Writes numbers and texts as `java.io.DataOutput` does, most significant byte first.
#[derive(Debug, Default)]
pub(crate) struct Output(Vec<u8>);

impl Output {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    #[cfg(feature = "serialization")]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    pub(crate) fn u8(&mut self, byte: u8) {
        self.0.push(byte);
    }

    pub(crate) fn u16(&mut self, number: u16) {
        self.bytes(&number.to_be_bytes());
    }

    pub(crate) fn i32(&mut self, number: i32) {
        self.bytes(&number.to_be_bytes());
    }

    pub(crate) fn i64(&mut self, number: i64) {
        self.bytes(&number.to_be_bytes());
    }

    /// Bytes behind their length, which is one byte after the tag `short`, and four after `long`.
    pub(crate) fn block(&mut self, short: u8, long: u8, bytes: &[u8]) {
        match u8::try_from(bytes.len()) {
            Ok(length) => self.bytes(&[short, length]),
            Err(_) => {
                self.u8(long);
                self.i32(i32::try_from(bytes.len()).unwrap_or(i32::MAX));
            }
        }
        self.bytes(bytes);
    }

    /// A value of the primitive type that has this letter in names of array classes; nothing is
    /// written if it is of another type.
    pub(crate) fn primitive(&mut self, letter: u8, value: &View<'_>) -> Option<()> {
        match (letter, value) {
            (b'B', View::Byte(it)) => self.bytes(&it.to_be_bytes()),
            (b'C', View::Character(it)) => self.u16(*it),
            (b'D', View::Double(it)) => self.bytes(&canonical_f64(*it).to_be_bytes()),
            (b'F', View::Float(it)) => self.bytes(&canonical_f32(*it).to_be_bytes()),
            (b'I', View::Integer(it)) => self.i32(*it),
            (b'J', View::Long(it)) => self.i64(*it),
            (b'S', View::Short(it)) => self.bytes(&it.to_be_bytes()),
            (b'Z', View::Boolean(it)) => self.u8((*it).into()),
            _ => return None,
        }
        Some(())
    }
}

/// As `Double.doubleToLongBits`: all that is not a number is written alike.
fn canonical_f64(number: f64) -> u64 {
    if number.is_nan() {
        return 0x7ff8_0000_0000_0000;
    }
    number.to_bits()
}

fn canonical_f32(number: f32) -> u32 {
    if number.is_nan() {
        return 0x7fc0_0000;
    }
    number.to_bits()
}

/// The text in the UTF-8 of `DataOutput`, which is mostly the same.
#[cfg(feature = "serialization")]
pub(crate) fn in_modified_utf8(text: &str) -> Cow<'_, [u8]> {
    match text.bytes().all(|it| it != 0 && it < 0xf0) {
        true => Cow::Borrowed(text.as_bytes()),
        false => Cow::Owned(modified_utf8(text.encode_utf16())),
    }
}

/// The UTF-8 of `DataOutput`: U+0000 in two bytes, surrogates in three each.
pub(crate) fn modified_utf8(units: impl IntoIterator<Item = u16>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for unit in units {
        let low = |shift: u32| 0x80 | (unit >> shift & 0x3f) as u8;
        match unit {
            1..0x80 => bytes.push(unit as u8),
            0 | 0x80..0x800 => bytes.extend([0xc0 | (unit >> 6) as u8, low(0)]),
            _ => bytes.extend([0xe0 | (unit >> 12) as u8, low(6), low(0)]),
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::java::{Cursor, JavaValue};

    proptest! {
        #[test]
        fn every_text_is_read_back(units: Vec<u16>) {
            let bytes = modified_utf8(units.iter().copied());
            let read = Cursor::new(&bytes).text(bytes.len()).unwrap();
            prop_assert_eq!(read, JavaValue::from_utf16(units));
        }

        #[test]
        fn every_number_is_read_back(long: i64, double: f64, unit: u16) {
            for (letter, value) in [
                (b'J', JavaValue::Long(long)),
                (b'D', JavaValue::Double(double)),
                (b'C', JavaValue::Character(unit)),
            ] {
                let mut out = Output::default();
                prop_assert_eq!(out.primitive(letter, &(&value).into()), Some(()));
                prop_assert_eq!(out.primitive(b'I', &(&value).into()), None);
                let bytes = out.into_bytes();
                prop_assert_eq!(Cursor::new(&bytes).primitive(letter).unwrap(), value);
            }
        }
    }

    /// As `DataOutputStream` of OpenJDK 17 writes them.
    #[test]
    fn texts_are_written_as_java_writes_them() {
        let text: Vec<u16> = "a\0é世🚀".encode_utf16().collect();
        assert_eq!(
            modified_utf8(text),
            b"a\xc0\x80\xc3\xa9\xe4\xb8\x96\xed\xa0\xbd\xed\xba\x80"
        );
    }
}
