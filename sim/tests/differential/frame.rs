//! Replies as bytes.

/// How many bytes the first reply has. Nothing if it is not all there.
pub(crate) fn size(bytes: &[u8]) -> Option<usize> {
    let end = bytes.windows(2).position(|it| it == b"\r\n")? + 2;
    let number = || {
        str::from_utf8(&bytes[1..end - 2])
            .unwrap()
            .parse::<i64>()
            .unwrap()
    };
    let items = match bytes[0] {
        b'$' => {
            return Some(end + usize::try_from(number() + 2).unwrap_or_default())
                .map(|it| if number() < 0 { end } else { it })
                .filter(|it| *it <= bytes.len());
        }
        b'*' | b'>' | b'~' => number().max(0),
        b'%' => 2 * number(),
        _ => 0,
    };
    (0..items).try_fold(end, |at, _| Some(at + size(&bytes[at..])?))
}

/// The texts in a reply, however deep.
pub(crate) fn texts(bytes: &[u8]) -> Vec<Vec<u8>> {
    let (mut texts, mut rest) = (Vec::new(), bytes);
    while let Some(end) = rest.windows(2).position(|it| it == b"\r\n") {
        let (line, behind) = rest.split_at(end + 2);
        rest = behind;
        if let Some(size) = line.strip_prefix(b"$").filter(|it| it[0] != b'-') {
            let size: usize = str::from_utf8(size).unwrap().trim().parse().unwrap();
            texts.push(rest[..size].to_vec());
            rest = &rest[size + 2..];
        }
    }
    texts
}

/// A command as it travels.
pub(crate) fn command<T: AsRef<[u8]>>(words: &[T]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", words.len()).into_bytes();
    for word in words {
        let word = word.as_ref();
        bytes.extend_from_slice(format!("${}\r\n", word.len()).as_bytes());
        bytes.extend_from_slice(word);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes
}

/// Readable, and not too long.
pub(crate) fn show(bytes: &[u8]) -> String {
    let most = 600;
    let text = bytes[..bytes.len().min(most)].escape_ascii().to_string();
    let more = if bytes.len() > most { "…" } else { "" };
    text.replace("\\r\\n", "⏎") + more
}
