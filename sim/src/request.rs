//! A command as clients send it: an array of bulk strings.

use bytes::Bytes;

/// Takes the first command off `bytes`. Nothing if it is not all there.
///
/// # Panics
///
/// If these are other bytes than a client sends.
pub(crate) fn take(bytes: &mut Vec<u8>) -> Option<Vec<Bytes>> {
    let mut rest = &bytes[..];
    let count = header(&mut rest, b'*')?;
    let mut words = Vec::with_capacity(count);
    for _ in 0..count {
        let size = header(&mut rest, b'$')?;
        let word = rest.get(..size)?;
        rest = rest.get(size + 2..)?;
        words.push(Bytes::copy_from_slice(word));
    }
    let taken = bytes.len() - rest.len();
    bytes.drain(..taken);
    Some(words)
}

/// Takes a line that says a size.
fn header(rest: &mut &[u8], kind: u8) -> Option<usize> {
    let end = rest.windows(2).position(|it| it == b"\r\n")?;
    let (line, after) = rest.split_at(end);
    *rest = &after[2..];
    let size = line.strip_prefix(&[kind]).map(str::from_utf8);
    let size = size.and_then(|it| it.ok()?.parse().ok());
    Some(size.unwrap_or_else(|| panic!("a client sent {:?}", line.escape_ascii().to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_taken_once_all_of_it_has_come() {
        let whole = b"*2\r\n$3\r\nGET\r\n$2\r\n\r\n\r\n*1\r\n";
        for size in 0..whole.len() - 4 {
            assert_eq!(take(&mut whole[..size].to_vec()), None);
        }
        let mut bytes = whole.to_vec();
        assert_eq!(take(&mut bytes).unwrap(), ["GET", "\r\n"]);
        assert_eq!(bytes, b"*1\r\n");
    }
}
