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
#[track_caller]
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

/// Waits until this fact is true. Blocks the thread.
///
/// # Panics
///
/// If it is not within [`PATIENCE`].
#[track_caller]
pub fn eventually(what: &str, mut fact: impl FnMut() -> bool) {
    until(what, || fact().then_some(()).ok_or_else(String::new));
}
