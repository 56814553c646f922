//! JSON strings as Jackson 2 spells them.

use crate::java::Mismatch;

/// Appends `text` in quotes.
pub(crate) fn push_string(out: &mut Vec<u8>, text: &str) {
    push_quoted(out, text, |byte| byte >= 0xf0);
}

/// Appends `text` in quotes. Besides what JSON demands, escapes characters whose first byte in UTF-8
/// `is_escaped`.
#[inline]
pub(crate) fn push_quoted(out: &mut Vec<u8>, text: &str, is_escaped: impl Fn(u8) -> bool) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    let bytes = text.as_bytes();
    if is_all_plain(bytes) {
        out.extend_from_slice(bytes);
        out.push(b'"');
        return;
    }
    let (mut written, mut at) = (0, 0);
    while at < bytes.len() {
        if let Some(eight) = bytes[at..].first_chunk()
            && is_plain(u64::from_ne_bytes(*eight))
        {
            at += 8;
            continue;
        }
        let byte = bytes[at];
        if byte >= b' ' && byte != b'"' && byte != b'\\' && !is_escaped(byte) {
            at += 1;
            continue;
        }
        out.extend_from_slice(&bytes[written..at]);
        if let Some(character) = text[at..].chars().next() {
            push_character(out, character);
            at += character.len_utf8();
        }
        written = at;
    }
    out.extend_from_slice(&bytes[written..]);
    out.push(b'"');
}

/// True if all bytes are ASCII that JSON does not escape.
#[inline]
fn is_all_plain(bytes: &[u8]) -> bool {
    let Some(last) = bytes.last_chunk() else {
        if let (Some(head), Some(tail)) = (bytes.first_chunk(), bytes.last_chunk()) {
            let [head, tail] = [head, tail].map(|it| u64::from(u32::from_ne_bytes(*it)));
            return is_plain(head << 32 | tail);
        }
        let mut few = [b'a'; 8];
        for (to, from) in few.iter_mut().zip(bytes) {
            *to = *from;
        }
        return is_plain(u64::from_ne_bytes(few));
    };
    let (eights, _) = bytes.as_chunks();
    let mut eights = eights.iter().chain([last]);
    eights.all(|it| is_plain(u64::from_ne_bytes(*it)))
}

/// True if the eight bytes are ASCII that JSON does not escape.
fn is_plain(bytes: u64) -> bool {
    marks(bytes) == 0
}

/// How many of the eight bytes come before the first that JSON escapes, or that is no ASCII.
#[inline]
pub(crate) fn plain(bytes: [u8; 8]) -> usize {
    (marks(u64::from_le_bytes(bytes)).trailing_zeros() / 8) as usize
}

/// Has the top bits of bytes that JSON escapes, or that are no ASCII. The lowest is right, those above
/// it may be others.
#[inline]
fn marks(bytes: u64) -> u64 {
    const ONES: u64 = u64::MAX / 0xff;
    let has_zero = |it: u64| it.wrapping_sub(ONES) & !it;
    let controls = bytes.wrapping_sub(ONES * 0x20);
    let quotes = has_zero(bytes ^ (ONES * 0x22));
    let slashes = has_zero(bytes ^ (ONES * 0x5c));
    (bytes | controls | quotes | slashes) & (ONES * 0x80)
}

/// Appends a character of a string.
///
/// Jackson escapes what JSON demands, with hexadecimal digits in upper case, and every UTF-16
/// surrogate. All else is raw UTF-8, U+007F and U+2028 included.
pub(crate) fn push_character(out: &mut Vec<u8>, character: char) {
    match character {
        '"' => out.extend(b"\\\""),
        '\\' => out.extend(b"\\\\"),
        '\u{8}' => out.extend(b"\\b"),
        '\t' => out.extend(b"\\t"),
        '\n' => out.extend(b"\\n"),
        '\u{c}' => out.extend(b"\\f"),
        '\r' => out.extend(b"\\r"),
        '\0'..' ' | '\u{10000}'.. => {
            for unit in character.encode_utf16(&mut [0; 2]) {
                push_unit(out, *unit);
            }
        }
        _ => out.extend(character.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

/// Appends an escape of a UTF-16 unit.
pub(crate) fn push_unit(out: &mut Vec<u8>, unit: u16) {
    out.extend(b"\\u");
    let digits = [12, 8, 4, 0].map(|shift| b"0123456789ABCDEF"[usize::from(unit >> shift & 0xf)]);
    out.extend(digits);
}

/// The most UTF-16 units of a text that Jackson 2 reads.
pub(crate) const LONGEST: usize = 20_000_000;

/// The most bytes of a name in JSON that Jackson reads.
const LONGEST_NAME: usize = 50_000;

/// Refuses a text of more than `most` UTF-16 units, which Java would take and then not read.
#[inline]
pub(crate) fn check(text: &str, most: usize) -> Result<(), Mismatch> {
    // No character has more units than bytes.
    match text.len() <= most {
        true => Ok(()),
        false => check_units(text.encode_utf16().count(), most),
    }
}

pub(crate) fn check_units(units: usize, most: usize) -> Result<(), Mismatch> {
    match units <= most {
        true => Ok(()),
        false => Err(Mismatch::unknown(
            format!("a text of {most} UTF-16 units at most"),
            format!("one of {units}"),
        )),
    }
}

/// Refuses the name of a property, or a key, that Java would take and then not read.
#[inline]
pub(crate) fn check_name(name: &str) -> Result<(), Mismatch> {
    match name.len() <= LONGEST_NAME {
        true => Ok(()),
        false => Err(Mismatch::unknown(
            format!("a name of {LONGEST_NAME} bytes at most"),
            format!("one of {}", name.len()),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn string(text: &str) -> String {
        let mut out = Vec::new();
        push_string(&mut out, text);
        String::from_utf8(out).unwrap()
    }

    /// Redisson 4.7.0 reads texts of 20,000,000 units, and none of one more.
    #[test]
    fn lengths_are_those_of_java() {
        for (text, units) in [("abc", 3), ("\u{4e16}\u{754c}", 2), ("\u{1f680}", 2)] {
            check(text, units).unwrap();
            let most = units - 1;
            assert_eq!(
                check(text, most).unwrap_err().to_string(),
                format!("expected a text of {most} UTF-16 units at most, found one of {units}")
            );
        }
    }

    /// serde_json writes lower-case escapes and raw emoji, which would be other bytes.
    #[test]
    fn escapes_match_jackson() {
        assert_eq!(
            string("q\"b\\s/\n\r\t\u{8}\u{c}"),
            r#""q\"b\\s/\n\r\t\b\f""#
        );
        assert_eq!(
            string("\0\u{1f}\u{7f}\u{2028}"),
            "\"\\u0000\\u001F\u{7f}\u{2028}\""
        );
        assert_eq!(string("\u{1f680}\u{ffff}"), "\"\\uD83D\\uDE80\u{ffff}\"");
    }
}
