//! Whether the handler of an element has begun with it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::timeout;

/// Says whether a handler has yet to be called, or still waits for what it needs before it can try,
/// such as a connection. The handler and its receipt share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trial(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// The handler waits or will be called, or was dropped before it tried.
    is_ahead: AtomicBool,
    /// The handler has begun to wait.
    waits: Notify,
    /// The handler was called, or has waited long enough.
    begins: Notify,
}

impl Trial {
    /// Notes that a handler will be called.
    pub(super) fn announce(&self) {
        self.0.is_ahead.store(true, Relaxed);
    }

    /// Notes that the handler is called.
    pub(super) fn begin(&self) {
        self.0.is_ahead.store(false, Relaxed);
        self.0.begins.notify_one();
    }

    /// Waits until the handler can try. If that is dropped before it is ready, the element is given
    /// back, and the attempt does not count.
    #[cfg(feature = "amqp")]
    pub(crate) async fn wait_for<R>(&self, ready: impl Future<Output = R>) -> R {
        self.announce();
        self.0.waits.notify_one();
        let ready = ready.await;
        self.begin();
        ready
    }

    /// True if the handler has not tried, although it is to.
    pub(super) fn is_ahead(&self) -> bool {
        self.0.is_ahead.load(Relaxed)
    }

    /// Waits until the handler has tried for so long since it last began. While it waits for what it
    /// needs, no time passes.
    pub(super) async fn lasts(&self, limit: Duration) {
        loop {
            let begins = self.0.begins.notified();
            if self.is_ahead() {
                begins.await;
            } else if timeout(limit, begins).await.is_err() && !self.is_ahead() {
                return;
            }
        }
    }

    /// Waits until the run is told to stop, which drops the sender of `running`, and the handler has not
    /// begun.
    pub(super) async fn given_up(&self, mut running: watch::Receiver<()>) {
        while running.changed().await.is_ok() {}
        while !self.is_ahead() {
            self.0.waits.notified().await;
        }
    }
}
