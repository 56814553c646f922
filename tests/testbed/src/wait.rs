//! Waiting for a fact.

use std::{
    thread,
    time::{Duration, Instant},
};

/// How long each call waits for what it is about.
///
/// Long, for a machine that is building something else at the same time.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Waits until `attempt` succeeds. Blocks the thread.
///
/// # Panics
///
/// With its last error, if it does not succeed within [`PATIENCE`].
pub fn until<T>(what: &str, mut attempt: impl FnMut() -> Result<T, String>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match attempt() {
            Ok(done) => return done,
            Err(error) => assert!(
                Instant::now() < deadline,
                "not within {PATIENCE:?}: {what}: {error}"
            ),
        }
        thread::sleep(Duration::from_millis(10));
    }
}
