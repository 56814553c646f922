//! CBOR (RFC 8949), read through without keeping anything.

use super::cursor::Cursor;

/// True if `payload` is one item from its first byte to its last.
pub(super) fn matches(payload: &[u8]) -> bool {
    let mut cursor = Cursor::new(payload);
    skip_item(&mut cursor).is_some() && cursor.is_at_end()
}

fn skip_item(cursor: &mut Cursor<'_>) -> Option<()> {
    // How many items each open container still wants; none says: until a break.
    let mut open = vec![Some(1_u64)];
    while let Some(wanted) = open.last_mut() {
        match wanted {
            Some(0) => {
                open.pop();
                continue;
            }
            Some(count) => *count -= 1,
            None if cursor.peek()? == BREAK => {
                cursor.byte()?;
                open.pop();
                continue;
            }
            None => {}
        }
        if open.len() > DEEPEST {
            return None;
        }

        let head = cursor.byte()?;
        let argument = match head & 31 {
            low @ 0..24 => Some(u64::from(low)),
            low @ 24..28 => Some(cursor.number(1 << (low - 24))?),
            31 => None,
            _ => return None,
        };
        match (head >> 5, argument) {
            (0 | 1, Some(_)) => {}
            (2, Some(count)) => drop(cursor.take(count)?),
            (3, Some(count)) => drop(cursor.text(count)?),
            (4, count) => open.push(count),
            (5, None) | (2 | 3, None) => open.push(None),
            (5, Some(count)) => open.push(Some(count.checked_mul(2)?)),
            (6, Some(_)) => open.push(Some(1)),
            (7, Some(_)) if head & 31 >= 20 => {}
            _ => return None,
        }
    }
    Some(())
}

const BREAK: u8 = 0xff;
const DEEPEST: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    /// One of each kind that Java writes.
    #[test]
    fn items_match() {
        for item in [
            &b"\x00"[..],
            b"\x39\x01\x00",
            b"\x42ab",
            b"\x62\xc3\xa9",
            b"\x82\x01\xf6",
            b"\xa1\x61k\xfb\0\0\0\0\0\0\0\0",
            b"\x9f\x61a\xbf\x61k\xf5\xff\xff",
            b"\xc4\x82\x21\x18\x96",
        ] {
            assert!(matches(item), "{item:02x?}");
        }
    }

    /// Cut, followed by more, or of a kind that no Java codec writes.
    #[test]
    fn other_bytes_do_not() {
        for bytes in [
            &b""[..],
            b"\x00\x00",
            b"\x62\xc3",
            b"\x62\xc3\xff",
            b"\x9f\x01",
            b"\xff",
            b"\x1c",
            b"\xe0",
            b"\x9b\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        ] {
            assert!(!matches(bytes), "{bytes:02x?}");
        }
        assert!(matches(&[vec![0x81; 250], vec![0]].concat()));
        assert!(!matches(&[vec![0x81; 100_000], vec![0]].concat()));
    }
}
