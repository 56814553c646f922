//! Snappy blocks: the length, then literals and copies of earlier text.

use super::Reader;
use crate::java::Malformed;

/// The decompressed length of `block`. Fails if the length in its header is wrong.
pub(crate) fn length(block: &[u8]) -> Result<usize, Malformed> {
    let mut reader = Reader::new(block);
    let declared = varint(&mut reader)?;
    let mut length: u64 = 0;
    while !reader.is_at_end() {
        let offset = reader.offset;
        let tag = reader.byte()?;
        let high = u64::from(tag >> 2);
        let (count, back) = match tag & 3 {
            0 => {
                let more = match high {
                    0..60 => high,
                    _ => reader.number(high as usize - 59)?,
                };
                reader.skip(usize::try_from(more + 1).unwrap_or(usize::MAX))?;
                (more + 1, None)
            }
            1 => {
                let low = reader.number(1)?;
                (4 + (high & 7), Some(high >> 3 << 8 | low))
            }
            2 => (1 + high, Some(reader.number(2)?)),
            _ => (1 + high, Some(reader.number(4)?)),
        };
        if back.is_some_and(|back| back == 0 || back > length) {
            let reason = "a copy starts outside of the text";
            return Err(Malformed { reason, offset });
        }

        length += count;
        if length > declared {
            let reason = "the block holds more than it declares";
            return Err(Malformed { reason, offset });
        }
    }
    if length < declared {
        return Err(reader.malformed("the block holds less than it declares"));
    }
    usize::try_from(length).map_err(|_| reader.malformed("the block is too long"))
}

fn varint(reader: &mut Reader<'_>) -> Result<u64, Malformed> {
    let mut number = 0;
    for shift in [0, 7, 14, 21, 28] {
        let byte = reader.byte()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 && number <= u64::from(u32::MAX) {
            return Ok(number);
        }
    }
    Err(reader.malformed("the length has more than 32 bits"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn malformed(reason: &'static str, offset: usize) -> Result<usize, Malformed> {
        Err(Malformed { reason, offset })
    }

    /// Literals with short and long lengths, and the three kinds of copies.
    #[test]
    fn lengths_add_up() {
        assert_eq!(length(b"\x00"), Ok(0));
        assert_eq!(length(b"\x03\x08abc"), Ok(3));
        assert_eq!(length(b"\x03\xf0\x02abc"), Ok(3));
        assert_eq!(length(b"\x03\xfc\x02\0\0\0abc"), Ok(3));
        assert_eq!(length(b"\x05\x00a\x01\x01"), Ok(1 + 4));
        assert_eq!(length(b"\x41\x00a\xfe\x01\x00"), Ok(1 + 64));
        assert_eq!(length(b"\x41\x00a\xff\x01\x00\x00\x00"), Ok(1 + 64));
    }

    /// The offset is that of the piece that does not fit.
    #[test]
    fn malformed_blocks_are_refused() {
        assert_eq!(length(b""), malformed("the block ends early", 0));
        assert_eq!(length(b"\x03\x08ab"), malformed("the block ends early", 2));
        assert_eq!(
            length(b"\xff\xff\xff\xff\x7f"),
            malformed("the length has more than 32 bits", 5)
        );
        assert_eq!(
            length(b"\x04\x08abc"),
            malformed("the block holds less than it declares", 5)
        );
        assert_eq!(
            length(b"\x02\x08abc"),
            malformed("the block holds more than it declares", 1)
        );
        for copy in [b"\x05\x00a\x01\x00", b"\x05\x00a\x01\x02"] {
            let reason = "a copy starts outside of the text";
            assert_eq!(length(copy), malformed(reason, 3));
        }
    }
}
