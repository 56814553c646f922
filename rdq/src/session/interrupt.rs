//! Ends a verb when the user presses Ctrl-C, or when the system ends the process (SIGTERM).

use tokio::signal;

use crate::failure::{Failure, Result};

/// The outcome of `work`, unless the run is interrupted first. Then `work` is dropped where it waits.
pub(crate) async fn unless_interrupted<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::select! {
        // A signal that comes before this is polled would be lost, so `work` is not polled before.
        biased;
        () = interrupted() => Err(Failure::Interrupted),
        done = work => done,
    }
}

/// Returns when the run is to end.
pub(crate) async fn interrupted() {
    tokio::select! {
        _ = signal::ctrl_c() => {}
        () = terminated() => {}
    }
}

#[cfg(unix)]
async fn terminated() {
    match signal::unix::signal(signal::unix::SignalKind::terminate()) {
        Ok(mut signals) => _ = signals.recv().await,
        // Then the signal ends the process by itself.
        Err(_) => std::future::pending().await,
    }
}

#[cfg(not(unix))]
async fn terminated() {
    std::future::pending().await
}
