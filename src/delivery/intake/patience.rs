use std::time::{Duration, Instant};

/// How long a caller waits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Patience {
    Forever,
    /// For nothing that this client knows not to be there: for a claim only if one may bring
    /// something.
    Known,
    /// For one claim, and for more while claims leave something and this caller got nothing.
    Once,
    Until(Instant),
}

impl Patience {
    /// Waits up to `timeout`. Zero asks Redis once.
    pub(crate) fn of(timeout: Duration) -> Self {
        match Instant::now().checked_add(timeout) {
            _ if timeout.is_zero() => Self::Once,
            Some(deadline) => Self::Until(deadline),
            None => Self::Forever,
        }
    }
}
