//! Waiting for the connections of the service.

use std::error::Error as _;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use futures::FutureExt;
use tokio::time::sleep;

use super::Service;
use super::arrangement::{Arranged, Arrangement};
use crate::error::{Error, Step};
use crate::event::Event;
use crate::link::connection::Link;
use crate::link::pauses::Pauses;

impl Service {
    /// Waits for a delivery connection, however long that takes.
    pub(super) fn connect(&self) -> Arrangement {
        let connected = self.connected(Arc::clone(&self.link));
        connected.map(Arranged::Connected).boxed()
    }

    /// Waits for a connection, however long that takes, and returns its number.
    pub(super) fn connected(&self, link: Arc<Link>) -> impl Future<Output = u64> + Send + use<> {
        let reporter = self.reporter.clone();
        let is_denied = Arc::clone(&self.is_denied);
        let mut pauses = Pauses::new(self.options.longest_pause());
        async move {
            loop {
                match link.connection().await {
                    Ok((_, generation)) => {
                        is_denied.store(false, Relaxed);
                        return generation;
                    }
                    Err(failure) => {
                        let is_ours = failure.is_of_provider();
                        let error = failure.into_error(Step::Connect);
                        let socket = link.socket();
                        tracing::debug!(socket, %error, cause = error.source(), "not connected");
                        let concerns_login = is_ours || matches!(error, Error::Denied { .. });
                        if concerns_login && !is_denied.swap(true, Relaxed) {
                            reporter.report(Event::Denied { error });
                        }
                    }
                }
                sleep(pauses.next()).await;
            }
        }
    }
}
