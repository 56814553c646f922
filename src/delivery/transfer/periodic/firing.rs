use std::collections::HashSet;

/// What is known about firing the periodic offers of one queue.
#[derive(Debug, Default)]
pub(crate) struct Firing {
    /// A look is under way.
    pub(super) running: bool,
    /// The last look failed, and that was reported.
    pub(super) failing: bool,
    /// The names and schedules that could not be read and were reported.
    pub(super) unreadable: HashSet<(Vec<u8>, Vec<u8>)>,
}
