//! How long a caller waits.

use std::time::Duration;

use tokio::time::Instant;

use crate::error::Result;

/// When a caller gives up.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Patience {
    Forever,
    /// For one claim if something may be there, as far as this client knows; else not at all.
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

    /// Waits without a limit. Such a `wait` does not end with `None`; if one did, this waits again.
    pub(crate) async fn forever<T, F>(wait: impl Fn(Self) -> F) -> Result<T>
    where
        F: Future<Output = Result<Option<T>>>,
    {
        loop {
            if let Some(got) = wait(Self::Forever).await? {
                return Ok(got);
            }
        }
    }
}
