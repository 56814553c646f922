//! Zstandard frames: a header, then blocks that are raw, one byte repeated, or compressed.

use std::ops::RangeInclusive;

use super::Reader;
use crate::java::Malformed;

/// How many bytes `frames` become: at least and at most.
///
/// Raw and repeated blocks tell exactly. A compressed one becomes anything up to 128 KiB.
pub(crate) fn length(frames: &[u8]) -> Result<RangeInclusive<u64>, Malformed> {
    let mut reader = Reader::new(frames);
    let (mut least, mut most) = (0, 0);
    loop {
        let length = frame(&mut reader)?;
        least += length.start();
        most += length.end();
        if reader.is_at_end() {
            return Ok(least..=most);
        }
    }
}

fn frame(reader: &mut Reader<'_>) -> Result<RangeInclusive<u64>, Malformed> {
    let start = reader.offset;
    match reader.number(4)? {
        MAGIC => {}
        0x184d_2a50..=0x184d_2a5f => {
            let count = reader.number(4)?;
            reader.skip(usize::try_from(count).unwrap_or(usize::MAX))?;
            return Ok(0..=0);
        }
        _ => {
            let reason = "no Zstandard frame starts here";
            return Err(Malformed {
                reason,
                offset: start,
            });
        }
    }

    let descriptor = reader.byte()?;
    if descriptor & RESERVED != 0 {
        return Err(reader.malformed("a reserved bit of the frame header is set"));
    }
    let single_segment = descriptor & SINGLE_SEGMENT != 0;
    if !single_segment {
        reader.skip(1)?;
    }
    reader.skip([0, 1, 2, 4][usize::from(descriptor & 3)])?;
    let declared = match (descriptor >> 6, single_segment) {
        (0, false) => None,
        (0, true) => Some(reader.number(1)?),
        (1, _) => Some(reader.number(2)? + 256),
        (2, _) => Some(reader.number(4)?),
        _ => Some(reader.number(8)?),
    };

    let length = blocks(reader)?;
    if descriptor & CHECKSUM != 0 {
        reader.skip(4)?;
    }
    match declared {
        None => Ok(length),
        Some(declared) if length.contains(&declared) => Ok(declared..=declared),
        Some(_) => Err(Malformed {
            reason: "the frame holds another length than it declares",
            offset: start,
        }),
    }
}

fn blocks(reader: &mut Reader<'_>) -> Result<RangeInclusive<u64>, Malformed> {
    let (mut least, mut most) = (0, 0);
    loop {
        let header = reader.number(3)?;
        let size = header >> 3;
        if size > LONGEST_BLOCK {
            return Err(reader.malformed("a block is longer than 128 KiB"));
        }
        let stored = match header >> 1 & 3 {
            0 => size,
            1 => 1,
            2 => size,
            _ => return Err(reader.malformed("a block is of no known kind")),
        };
        reader.skip(stored as usize)?;
        if header >> 1 & 3 == 2 {
            most += LONGEST_BLOCK;
        } else {
            least += size;
            most += size;
        }
        if header & 1 == 1 {
            return Ok(least..=most);
        }
    }
}

const MAGIC: u64 = 0xfd2f_b528;
const SINGLE_SEGMENT: u8 = 1 << 5;
const RESERVED: u8 = 1 << 3;
const CHECKSUM: u8 = 1 << 2;
const LONGEST_BLOCK: u64 = 128 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    fn malformed(reason: &'static str, offset: usize) -> Result<RangeInclusive<u64>, Malformed> {
        Err(Malformed { reason, offset })
    }

    fn framed(rest: &[u8]) -> Vec<u8> {
        [&[0x28, 0xb5, 0x2f, 0xfd], rest].concat()
    }

    /// The frame that Java writes for `ab`, one byte ten times, and two frames in a row.
    #[test]
    fn lengths_add_up() {
        let raw = framed(b"\x00\x58\x10\0\0ab\x01\0\0");
        assert_eq!(length(&raw), Ok(2..=2));

        let repeated = framed(b"\x20\x0a\x53\0\0x");
        assert_eq!(length(&repeated), Ok(10..=10));
        assert_eq!(length(&[raw, repeated].concat()), Ok(12..=12));

        let compressed = framed(b"\x04\x58\x15\0\0xxsumm");
        assert_eq!(length(&compressed), Ok(0..=131_072));

        let skipped = [
            b"\x5f\x2a\x4d\x18\x02\0\0\0..",
            &framed(b"\x20\x00\x01\0\0")[..],
        ];
        assert_eq!(length(&skipped.concat()), Ok(0..=0));
    }

    /// A frame can name its length in four widths; the one of two bytes starts at 256.
    #[test]
    fn declared_lengths_are_read() {
        let repeated = |header: &[u8]| framed(&[header, b"\x83\x09\0x"].concat());
        assert_eq!(length(&repeated(b"\x60\x30\0")), Ok(304..=304));
        assert_eq!(length(&repeated(b"\xa0\x30\x01\0\0")), Ok(304..=304));
        assert_eq!(
            length(&repeated(b"\xe0\x30\x01\0\0\0\0\0\0")),
            Ok(304..=304)
        );
        assert_eq!(
            length(&repeated(b"\x60\x31\0")),
            malformed("the frame holds another length than it declares", 0)
        );
    }

    /// The offset is that of the byte behind the fault, or of the frame.
    #[test]
    fn malformed_frames_are_refused() {
        assert_eq!(length(b""), malformed("the block ends early", 0));
        assert_eq!(
            length(b"\x28\xb5\x2f\xfe\0\0\0\0"),
            malformed("no Zstandard frame starts here", 0)
        );
        let cases: [(&[u8], &str, usize); 5] = [
            (
                b"\x08\x58\x01\0\0",
                "a reserved bit of the frame header is set",
                5,
            ),
            (b"\x00\x58\x07\0\0", "a block is of no known kind", 9),
            (b"\x00\x58\x09\x00\x10", "a block is longer than 128 KiB", 9),
            (b"\x00\x58\x10\0\0a", "the block ends early", 9),
            (b"\x00\x58\x00\0\0", "the block ends early", 9),
        ];
        for (rest, reason, offset) in cases {
            assert_eq!(length(&framed(rest)), malformed(reason, offset));
        }
    }
}
