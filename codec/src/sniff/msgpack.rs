//! MessagePack, read through without keeping anything.

use super::cursor::Cursor;

/// True if `payload` is one value from its first byte to its last.
pub(super) fn matches(payload: &[u8]) -> bool {
    let mut cursor = Cursor::new(payload);
    skip_value(&mut cursor).is_some() && cursor.is_at_end()
}

fn skip_value(cursor: &mut Cursor<'_>) -> Option<()> {
    // All lengths stand in front, so it is enough to count what is still to come.
    let mut wanted: u64 = 1;
    while wanted > 0 {
        wanted -= 1;
        let head = cursor.byte()?;
        let inside = match head {
            0x80..=0x8f => 2 * u64::from(head & 15),
            0x90..=0x9f => u64::from(head & 15),
            0xdc | 0xdd => cursor.number(2 << (head - 0xdc))?,
            0xde | 0xdf => 2 * cursor.number(2 << (head - 0xde))?,
            _ => {
                skip_scalar(head, cursor)?;
                0
            }
        };
        wanted = wanted.checked_add(inside)?;
    }
    Some(())
}

fn skip_scalar(head: u8, cursor: &mut Cursor<'_>) -> Option<()> {
    match head {
        0x00..=0x7f | 0xe0..=0xff | 0xc0 | 0xc2 | 0xc3 => {}
        0xa0..=0xbf => drop(cursor.text(u64::from(head & 31))?),
        0xc4..=0xc6 => {
            let count = cursor.number(1 << (head - 0xc4))?;
            cursor.take(count)?;
        }
        0xc7..=0xc9 => {
            let count = cursor.number(1 << (head - 0xc7))?;
            cursor.take(count + 1)?;
        }
        0xca | 0xcb => drop(cursor.take(4 << (head - 0xca))?),
        0xcc..=0xcf => drop(cursor.take(1 << (head - 0xcc))?),
        0xd0..=0xd3 => drop(cursor.take(1 << (head - 0xd0))?),
        0xd4..=0xd8 => drop(cursor.take(1 + (1 << (head - 0xd4)))?),
        0xd9..=0xdb => {
            let count = cursor.number(1 << (head - 0xd9))?;
            cursor.text(count)?;
        }
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of each kind that Java writes.
    #[test]
    fn values_match() {
        for value in [
            &b"\x7f"[..],
            b"\xff",
            b"\xc0",
            b"\xa2\xc3\xa9",
            b"\xd9\x01a",
            b"\xc4\x01\xff",
            b"\xc7\x01\x05x",
            b"\xcb\0\0\0\0\0\0\0\0",
            b"\xd2\x80\0\0\0",
            b"\xd6\xff\0\0\0\0",
            b"\x92\xa1a\x81\xa1k\xc3",
            b"\xdc\x00\x01\xde\x00\x00",
        ] {
            assert!(matches(value), "{value:02x?}");
        }
    }

    /// Cut, followed by more, or of no kind at all.
    #[test]
    fn other_bytes_do_not() {
        for bytes in [
            &b""[..],
            b"\x00\x00",
            b"\xa2a",
            b"\xa1\xff",
            b"\xc1",
            b"\x92\x00",
            b"\xdf\xff\xff\xff\xff\x00",
        ] {
            assert!(!matches(bytes), "{bytes:02x?}");
        }
        assert!(!matches(&vec![0xdd; 100_000]));
    }
}
