/// Bytes are no value of a syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} at byte {offset}")]
pub(super) struct Malformed {
    /// What is there, or what should be.
    pub(super) what: &'static str,
    pub(super) offset: usize,
}
