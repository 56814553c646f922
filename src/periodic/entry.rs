//! What Redis stores for a periodic offer: the schedule as one line of JSON, a line feed, and the
//! payload as the codec wrote it.

use bytes::Bytes;

/// The schedule and the payload of an entry; `None` if it has no line feed.
pub(crate) fn split(mut entry: Bytes) -> Option<(Bytes, Bytes)> {
    let end = entry.iter().position(|byte| *byte == b'\n')?;
    let schedule = entry.split_to(end);
    Some((schedule, entry.slice(1..)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_may_be_any_bytes() {
        for payload in [&b""[..], b"\n", b"a\nb", b"\0\xff"] {
            let entry = Bytes::from([b"{}\n", payload].concat());
            let (schedule, back) = split(entry).unwrap();
            assert_eq!((&schedule[..], &back[..]), (&b"{}"[..], payload));
        }
        assert_eq!(split(Bytes::from_static(b"{}")), None);
    }
}
