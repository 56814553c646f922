//! The parts of a worker's work, each of which may fail by itself.

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Part {
    #[default]
    Claim,
    GiveBack,
    Recover,
    /// Asking Redis to report changes, and telling the other clients.
    Watch,
}
