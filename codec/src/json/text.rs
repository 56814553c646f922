//! JSON strings as Jackson 2 spells them.

/// Appends `text` in quotes.
pub(crate) fn push_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    for character in text.chars() {
        push_character(out, character);
    }
    out.push(b'"');
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
                out.extend(format!("\\u{unit:04X}").as_bytes());
            }
        }
        _ => out.extend(character.encode_utf8(&mut [0; 4]).as_bytes()),
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
