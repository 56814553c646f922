//! Kryo 5: a class tag, then the value.

use super::cursor::Cursor;

/// True if `payload` is a boxed number or a text to its end, or starts with the name of a class.
///
/// What follows a class name cannot be checked without the class.
pub(super) fn matches(payload: &[u8]) -> bool {
    let Some((tag, value)) = payload.split_first() else {
        return false;
    };
    match tag {
        1 => value.strip_prefix(b"\0").is_some_and(starts_with_name),
        2 => is_varint(value, 5),
        // Behind the mark of a new object if the codec writes references.
        3 => is_text(value) || value.strip_prefix(b"\x01").is_some_and(is_text),
        4 => value.len() == 4,
        5 => matches!(value, [0 | 1]),
        6 => value.len() == 1,
        7 | 8 => value.len() == 2,
        9 => is_varint(value, 9),
        10 => value.len() == 8,
        _ => false,
    }
}

/// True if `payload` may start with the tag of a class that the user registered.
///
/// All of it is a guess: the classes stand in the configuration of both sides only.
pub(super) fn may_be_registered(payload: &[u8]) -> bool {
    payload.len() > 1 && matches!(payload[0], 11..32)
}

/// Seven bits a byte, and all eight of the ninth.
fn is_varint(bytes: &[u8], longest: usize) -> bool {
    let more = bytes.iter().take_while(|byte| **byte >= 0x80).count();
    match bytes.len() {
        0 => false,
        length if length == longest && longest == 9 => more >= 8,
        5 if longest == 5 => more == 4 && bytes[4] < 0x10,
        length => length <= longest && more + 1 == length,
    }
}

fn is_text(bytes: &[u8]) -> bool {
    let mut cursor = Cursor::new(bytes);
    skip_text(&mut cursor).is_some() && cursor.is_at_end()
}

fn starts_with_name(bytes: &[u8]) -> bool {
    let mut cursor = Cursor::new(bytes);
    if cursor.peek().is_some_and(|first| first >= 0x80) {
        return skip_text(&mut cursor).is_some();
    }
    bytes
        .iter()
        .map(|byte| (byte & 0x7f, *byte >= 0x80))
        .take_while(|(letter, _)| letter.is_ascii_alphanumeric() || b".$_[;-/".contains(letter))
        .any(|(_, last)| last)
}

/// ASCII with the last byte marked, or a count and UTF-16 units of up to three bytes each.
fn skip_text(cursor: &mut Cursor<'_>) -> Option<()> {
    let first = cursor.byte()?;
    if first < 0x80 {
        while cursor.byte()? < 0x80 {}
        return Some(());
    }

    let mut count = u64::from(first & 0x3f);
    let mut shift = 6;
    let mut more = first & 0x40 != 0;
    while more && shift <= 27 {
        let byte = cursor.byte()?;
        count |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        more = byte >= 0x80;
    }
    cursor.skip_units(count.checked_sub(1)?)
}
