//! Short names for bytes, and bytes as people read them.

use sha1_smol::Sha1;

/// The first 12 hex digits of the SHA-1 of some bytes: enough to tell the things of one queue apart,
/// and the same in each run.
pub(crate) fn short<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut digest = Sha1::new();
    for part in parts {
        digest.update(part);
    }
    let mut text = digest.digest().to_string();
    text.truncate(12);
    text
}

/// Bytes as hex and text, 16 a line, with their places. Shows `most` bytes at the most.
pub(crate) fn hex_dump(bytes: &[u8], most: usize) -> String {
    let shown = &bytes[..bytes.len().min(most)];
    let line = |(line, chunk): (usize, &[u8])| {
        let hex: Vec<_> = chunk.iter().map(|it| format!("{it:02x}")).collect();
        let text = chunk.iter().map(|it| match it {
            b' '..=b'~' => char::from(*it),
            _ => '.',
        });
        let text: String = text.collect();
        format!("{:08x}  {:<47}  {text}", 16 * line, hex.join(" "))
    };
    let mut lines: Vec<_> = shown.chunks(16).enumerate().map(line).collect();
    if shown.len() < bytes.len() {
        lines.push(format!("… {} bytes more", bytes.len() - shown.len()));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_name_is_that_of_the_parts_together() {
        // printf abc | sha1sum
        assert_eq!(short([&b"abc"[..]]), "a9993e364706");
        assert_eq!(short([&b"a"[..], b"bc"]), "a9993e364706");
    }

    #[test]
    fn a_dump_shows_hex_and_text() {
        let dump = hex_dump(b"\x08no member, but more\n", 18);
        let expected = "00000000  08 6e 6f 20 6d 65 6d 62 65 72 2c 20 62 75 74 20  .no member, but \n\
                        00000010  6d 6f                                            mo\n\
                        … 3 bytes more";
        assert_eq!(dump, expected);
        assert_eq!(hex_dump(b"", 16), "");
    }
}
