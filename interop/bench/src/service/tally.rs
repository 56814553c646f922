//! What handlers have done.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use tokio::{sync::Notify, time::timeout};

/// Counts elements, up to the number that is enough.
#[derive(Debug)]
pub(super) struct Tally {
    enough: usize,
    count: AtomicUsize,
    is_enough: Notify,
}

impl Tally {
    pub(super) fn new(enough: usize) -> Self {
        Self {
            enough,
            count: AtomicUsize::new(0),
            is_enough: Notify::new(),
        }
    }

    pub(super) fn add(&self) {
        if self.count.fetch_add(1, Ordering::Relaxed) + 1 == self.enough {
            self.is_enough.notify_one();
        }
    }

    pub(super) fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Waits until it is enough or the time is over.
    pub(super) async fn wait(&self, window: Duration) {
        drop(timeout(window, self.is_enough.notified()).await);
    }
}
