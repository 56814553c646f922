//! UUIDs with the name of their class: `["java.util.UUID","…"]`.

/// The class that stands before the text.
const OPEN: &[u8] = b"[\"java.util.UUID\",";

/// The text in the place of each UUID that has its class. All bytes keep their places, for errors.
///
/// `None` if there is no such UUID.
pub(super) fn without_classes(json: &[u8]) -> Option<Vec<u8>> {
    let mut plain: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(found) = json[at..].windows(OPEN.len()).position(|it| it == OPEN) {
        let start = at + found;
        let text = start + OPEN.len();
        at = text;
        // A quote and 36 characters, a quote, and the end of the array.
        if let Some([b'"', uuid @ .., b'"', b']']) = json.get(text..text + 39)
            && is_uuid(uuid)
        {
            let plain = plain.get_or_insert_with(|| json.to_vec());
            plain[start..text].fill(b' ');
            plain[text + 38] = b' ';
        }
    }
    plain
}

/// Appends a UUID with its class.
pub(super) fn push_uuid(out: &mut Vec<u8>, uuid: &str) {
    out.extend(OPEN);
    out.push(b'"');
    out.extend(uuid.as_bytes());
    out.extend(b"\"]");
}

/// True for the text of a UUID, as Java writes it.
pub(super) fn is_uuid(text: &[u8]) -> bool {
    text.len() == 36
        && text.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
