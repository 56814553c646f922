/// Bytes are not what they should be, and where.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{reason} at byte {offset}")]
pub(crate) struct Malformed {
    pub(crate) reason: &'static str,
    /// From the start of the bytes that were given to the reader.
    pub(crate) offset: usize,
}
