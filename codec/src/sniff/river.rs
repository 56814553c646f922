//! JBoss Marshalling, protocol River 4: a version, a kind, then the value.

use super::cursor::Cursor;

/// True if `payload` is a number or a text to its end, or starts as an object does.
pub(super) fn matches(payload: &[u8]) -> bool {
    let mut cursor = Cursor::new(payload);
    skip_value(&mut cursor).is_some_and(|rest| match rest {
        Rest::None => cursor.is_at_end(),
        Rest::Anything => true,
    })
}

/// What may follow what was recognised.
enum Rest {
    None,
    Anything,
}

fn skip_value(cursor: &mut Cursor<'_>) -> Option<Rest> {
    if cursor.byte()? != VERSION {
        return None;
    }
    match cursor.byte()? {
        // Classes, the empty string, flags, empty collections, and the reverse order.
        0x14..=0x31 | 0x5a | 0x5b | 0x63 | 0x6a..=0x76 => {}
        0x3d | 0x50 | 0x51 | 0x5d | 0x62 | 0x69 | 0x79 => {}
        0x3e => text(cursor, 1)?,
        0x3f => text(cursor, 2)?,
        0x40 => text(cursor, 4)?,
        0x49 => drop(cursor.take(1)?),
        0x4a | 0x4d => drop(cursor.take(2)?),
        0x4b | 0x4e => drop(cursor.take(4)?),
        0x4c | 0x4f => drop(cursor.take(8)?),
        array @ 0x41..=0x44 => {
            cursor.take([0, 1, 2, 4][usize::from(array - 0x41)])?;
            return class(cursor);
        }
        collection @ 0x52..=0x55 => {
            cursor.take([0, 1, 2, 4][usize::from(collection - 0x52)])?;
            return matches!(cursor.byte()?, 0x5a..=0x7b).then_some(Rest::Anything);
        }
        // One element, or a wrapper around another collection.
        0x5c | 0x61 | 0x68 | 0x7a | 0x7c..=0x82 => {
            cursor.byte()?;
            return Some(Rest::Anything);
        }
        0x04 => return class(cursor),
        _ => return None,
    }
    Some(Rest::None)
}

/// A class with its name, or one that has a byte.
fn class(cursor: &mut Cursor<'_>) -> Option<Rest> {
    loop {
        match cursor.byte()? {
            // An array of the class that follows.
            0x0d => {}
            0x14..=0x31 | 0x5a..=0x82 => return Some(Rest::Anything),
            0x07 | 0x0a | 0x0c => {
                text(cursor, 4)?;
                return Some(Rest::Anything);
            }
            0x09 | 0x38 => {
                match cursor.byte()? {
                    0x3e => text(cursor, 1)?,
                    0x3f => text(cursor, 2)?,
                    _ => return None,
                }
                return Some(Rest::Anything);
            }
            _ => return None,
        }
    }
}

/// Modified UTF-8 behind the number of its UTF-16 units, where 0 is one more than fits.
fn text(cursor: &mut Cursor<'_>, width: u64) -> Option<()> {
    let units = match (cursor.number(width)?, width) {
        (0, 1 | 2) => 1 << (8 * width),
        (units, _) => units,
    };
    cursor.skip_units(units)
}

const VERSION: u8 = 4;
