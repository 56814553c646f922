//! Waiting for the connections of the service.

use std::error::Error as _;
use std::sync::Arc;

use futures::FutureExt;
use tokio::time::sleep;

use super::Service;
use super::arrangement::{Arranged, Arrangement};
use crate::error::{Error, Step};
use crate::event::Event;
use crate::link::backoff::Backoff;
use crate::link::connection::Link;

impl Service {
    /// Waits for a delivery connection, however long that takes.
    pub(super) fn connect(&self) -> Arrangement {
        let connected = self.connected(Arc::clone(&self.link));
        connected.map(Arranged::Connected).boxed()
    }

    /// Waits for a connection, however long that takes, and returns its number.
    pub(super) fn connected(&self, link: Arc<Link>) -> impl Future<Output = u64> + Send + use<> {
        let reporter = self.reporter.clone();
        let mut backoff = Backoff::new(self.options.longest_pause());
        async move {
            let mut denied = false;
            loop {
                match link.connection().await {
                    Ok((_, generation)) => return generation,
                    Err(failure) => {
                        let error = failure.into_error(Step::Connect);
                        let socket = link.socket();
                        tracing::debug!(socket, %error, cause = error.source(), "not connected");
                        let is_denied = matches!(error, Error::Denied { .. });
                        if is_denied && !std::mem::replace(&mut denied, true) {
                            reporter.report(Event::Denied { error });
                        }
                    }
                }
                sleep(backoff.next()).await;
            }
        }
    }
}
