/// Bytes are not as they should be, with the place.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{reason} at byte {offset}")]
pub(crate) struct Malformed {
    pub(crate) reason: &'static str,
    /// From the start of the bytes that were given to the reader.
    pub(crate) offset: usize,
}
