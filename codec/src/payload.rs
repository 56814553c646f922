//! Payloads under construction.

use std::cell::Cell;

use bytes::Bytes;

thread_local! {
    /// Where the thread makes its payloads, one after the other.
    static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// The most bytes that a thread keeps.
const KEPT: usize = 64 * 1024;

/// Makes a payload by `write`, which gets an empty buffer and may fail.
///
/// The buffer has grown with earlier payloads, so that the payload alone is allocated, in its final
/// size. A codec inside another gets a buffer of its own.
pub(crate) fn tried<E>(write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>) -> Result<Bytes, E> {
    let mut out = BUFFER.take();
    out.clear();
    let written = write(&mut out);
    if out.capacity() > KEPT {
        return written.map(|()| out.into());
    }
    let payload = written.map(|()| Bytes::copy_from_slice(&out));
    BUFFER.set(out);
    payload
}
