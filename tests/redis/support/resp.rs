//! Where one request or reply ends and the next begins (RESP2 and RESP3).
//!
//! One socket carries the replies to many requests and, in RESP3, pushes between them. A proxy that wants to lose the
//! reply to one particular request therefore has to count frames; it never needs to understand them.

/// The length of the first frame in `bytes`, or `None` while the frame is incomplete.
pub(crate) fn frame_len(bytes: &[u8]) -> Option<usize> {
    let header = bytes.windows(2).position(|pair| pair == b"\r\n")? + 2;
    match bytes[0] {
        b'$' | b'!' | b'=' => match count(bytes, header) {
            Some(body) => Some(header + body + 2).filter(|end| *end <= bytes.len()),
            None => Some(header),
        },
        b'*' | b'~' | b'>' => elements(bytes, header, count(bytes, header).unwrap_or(0)),
        b'%' => elements(bytes, header, 2 * count(bytes, header)?),
        // Attributes come before the value that they describe and belong to it.
        b'|' => elements(bytes, header, 2 * count(bytes, header)? + 1),
        _ => Some(header),
    }
}

/// True if `frame` is a RESP3 push, which answers no request.
pub(super) fn is_push(frame: &[u8]) -> bool {
    frame.first() == Some(&b'>')
}

/// True if Redis answers `request` with a reply of its own.
///
/// The SUBSCRIBE family is confirmed by pushes in RESP3. In RESP2 it is confirmed by plain arrays, but there the socket
/// serves nothing except its subscriptions.
pub(super) fn expects_reply(request: &[u8]) -> bool {
    // `*<elements>`, `$<length>`, then the command's name.
    let name = request.split(|byte| *byte == b'\n').nth(2).unwrap_or(b"");
    !name
        .trim_ascii()
        .to_ascii_uppercase()
        .ends_with(b"SUBSCRIBE")
}

/// The number in a frame's header, or `None` for the `-1` of a RESP2 null.
fn count(bytes: &[u8], header: usize) -> Option<usize> {
    std::str::from_utf8(&bytes[1..header - 2])
        .ok()?
        .parse()
        .ok()
}

/// The end of `n` frames that begin at `start`.
fn elements(bytes: &[u8], start: usize, n: usize) -> Option<usize> {
    (0..n).try_fold(start, |at, _| Some(at + frame_len(&bytes[at..])?))
}
