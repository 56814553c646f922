//! Ends a verb when the user presses Ctrl-C, or when the system ends the process (SIGTERM).

use crate::failure::{Failure, Result};

/// The outcome of `work`, unless the run is interrupted first. Then `work` is dropped where it waits.
pub(crate) async fn unless_interrupted<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::select! {
        // A signal that comes before this is first polled ends the process, so `work` is polled after it.
        biased;
        () = interrupted() => Err(Failure::Interrupted),
        done = work => done,
    }
}

#[cfg(unix)]
pub(crate) use on_unix::interrupted;

#[cfg(unix)]
mod on_unix {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use tokio::signal::unix::{SignalKind, signal};
    use tokio::sync::watch;

    /// Returns when the run is to end. A signal that came while nobody waited, as between two steps of
    /// a verb, is noticed by whoever waits next.
    pub(crate) async fn interrupted() {
        static SIGNALS: OnceLock<watch::Receiver<u64>> = OnceLock::new();
        /// How many of them somebody has noticed.
        static NOTICED: AtomicU64 = AtomicU64::new(0);
        let mut signals = SIGNALS.get_or_init(count_signals).clone();
        let noticed = NOTICED.load(Relaxed);
        let count = signals.wait_for(|count| *count > noticed).await;
        let Some(count) = count.ok().map(|it| *it) else {
            // Nobody counts: the signal ends the process by itself.
            return std::future::pending().await;
        };
        NOTICED.fetch_max(count, Relaxed);
    }

    /// Counts the signals from now on, until the runtime ends.
    fn count_signals() -> watch::Receiver<u64> {
        let (count, counted) = watch::channel(0);
        let kinds = [SignalKind::interrupt(), SignalKind::terminate()];
        if let [Ok(mut interrupt), Ok(mut terminate)] = kinds.map(signal) {
            tokio::spawn(async move {
                loop {
                    tokio::select! {
                        _ = interrupt.recv() => {}
                        _ = terminate.recv() => {}
                    }
                    count.send_modify(|count| *count += 1);
                }
            });
        }
        counted
    }

    #[cfg(test)]
    mod tests {
        use std::time::Duration;

        use super::*;

        #[tokio::test]
        async fn a_signal_that_comes_while_nobody_waits_is_not_lost() {
            let waiting = tokio::time::timeout(Duration::ZERO, interrupted());
            assert!(waiting.await.is_err());
            assert!(testbed::signal("INT", std::process::id().into()));
            let noticed = tokio::time::timeout(testbed::PATIENCE, interrupted());
            assert!(noticed.await.is_ok());
        }
    }
}

/// Returns when the run is to end.
#[cfg(not(unix))]
pub(crate) async fn interrupted() {
    // An error means that Ctrl-C ends the process by itself.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
