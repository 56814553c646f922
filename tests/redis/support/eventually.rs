//! Waiting for a fact instead of sleeping.

use std::{panic::Location, time::Duration};

use tokio::time::{sleep, timeout};

/// Polls `fact` until it is true, and fails the test with `what` when it is not by `deadline`.
///
/// A fixed sleep is either too short on a busy machine or too long on an idle one. The deadline also bounds a `fact`
/// that hangs, so a frozen Redis fails the test instead of stopping it. The panic names the caller's line.
#[track_caller]
pub(crate) fn eventually(
    deadline: Duration,
    what: &str,
    mut fact: impl AsyncFnMut() -> bool,
) -> impl Future<Output = ()> {
    let caller = Location::caller();
    async move {
        let poll = async {
            while !fact().await {
                sleep(POLL_EVERY).await;
            }
        };
        if timeout(deadline, poll).await.is_err() {
            panic!("not within {deadline:?}: {what} (awaited at {caller})");
        }
    }
}

const POLL_EVERY: Duration = Duration::from_millis(5);
