//! LZ4 blocks: literals and copies of earlier text in turn, with literals at the end.

use super::Reader;
use crate::java::Malformed;

#[cfg(feature = "lz4")]
mod compressor;

#[cfg(feature = "lz4")]
pub(crate) use self::compressor::compress;

/// The decompressed length of `block`.
pub(crate) fn length(block: &[u8]) -> Result<usize, Malformed> {
    let mut reader = Reader::new(block);
    let mut length: usize = 0;
    loop {
        let token = reader.byte()?;
        let literals = run(&mut reader, token >> 4)?;
        reader.skip(literals)?;
        length += literals;
        if reader.is_at_end() {
            return Ok(length);
        }

        let at = reader.offset;
        let back = reader.number(2)?;
        if back == 0 || back > length as u64 {
            return Err(Malformed {
                reason: OUTSIDE,
                offset: at,
            });
        }
        length = length.saturating_add(run(&mut reader, token & 15)? + SHORTEST_COPY);
    }
}

/// Decompresses `block`, whose decompressed `length` has been checked.
#[cfg(feature = "lz4")]
pub(crate) fn decompress(block: &[u8], length: usize) -> Result<Vec<u8>, Malformed> {
    let mut reader = Reader::new(block);
    let mut text = Vec::with_capacity(length);
    loop {
        let token = reader.byte()?;
        let literals = run(&mut reader, token >> 4)?;
        text.extend_from_slice(reader.take(literals)?);
        if reader.is_at_end() {
            return Ok(text);
        }

        let back = reader.number(2)? as usize;
        let start = text.len().checked_sub(back).filter(|_| back > 0);
        let start = start.ok_or(reader.malformed(OUTSIDE))?;
        let mut count = run(&mut reader, token & 15)? + SHORTEST_COPY;
        // A copy may overlap itself: what it appends is then repeated.
        while count > 0 {
            let piece = count.min(text.len() - start);
            text.extend_from_within(start..start + piece);
            count -= piece;
        }
    }
}

/// Appends `text` as a block of literals only, which is longer than `text`.
#[cfg(feature = "lz4")]
pub(crate) fn push_literals(block: &mut Vec<u8>, text: &[u8]) {
    block.push((text.len().min(15) as u8) << 4);
    push_run(block, text.len());
    block.extend_from_slice(text);
}

/// Appends the part of a length that does not fit the four bits of a token.
#[cfg(feature = "lz4")]
fn push_run(block: &mut Vec<u8>, length: usize) {
    if let Some(rest) = length.checked_sub(15) {
        block.resize(block.len() + rest / 255, 255);
        block.push((rest % 255) as u8);
    }
}

/// A length that starts with the four bits `first` of a token.
fn run(reader: &mut Reader<'_>, first: u8) -> Result<usize, Malformed> {
    let mut length = usize::from(first);
    if first == 15 {
        loop {
            let more = reader.byte()?;
            length += usize::from(more);
            if more != 255 {
                break;
            }
        }
    }
    Ok(length)
}

const SHORTEST_COPY: usize = 4;
const OUTSIDE: &str = "a copy starts outside of the text";

#[cfg(test)]
mod tests {
    use super::*;

    fn malformed(reason: &'static str, offset: usize) -> Result<usize, Malformed> {
        Err(Malformed { reason, offset })
    }

    /// Lengths of both kinds, with and without more bytes.
    #[test]
    fn lengths_add_up() {
        assert_eq!(length(b"\x00"), Ok(0));
        assert_eq!(length(b"\x30abc"), Ok(3));
        assert_eq!(length(b"\x1fa\x01\x00\x02\x10b"), Ok(1 + 15 + 2 + 4 + 1));

        let long = [&[0xf0, 255, 0][..], &[b'x'; 270]].concat();
        assert_eq!(length(&long), Ok(270));
    }

    /// The offset is that of the byte that is missing, or of the copy that points nowhere.
    #[test]
    fn malformed_blocks_are_refused() {
        assert_eq!(length(b""), malformed("the block ends early", 0));
        assert_eq!(length(b"\x30ab"), malformed("the block ends early", 1));
        assert_eq!(length(b"\xf0\xff"), malformed("the block ends early", 2));
        assert_eq!(length(b"\x10a\x01"), malformed("the block ends early", 2));
        assert_eq!(
            length(b"\x10a\x01\x00"),
            malformed("the block ends early", 4)
        );
        for copy in [b"\x10a\x00\x00\x00", b"\x10a\x02\x00\x00"] {
            assert_eq!(length(copy), malformed(OUTSIDE, 2));
        }
    }
}
