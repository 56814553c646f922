//! Asking Redis to report changes, and telling the other clients that callers wait.

use std::time::Duration;

use tokio::time::Instant;

use super::Worker;
use crate::link::connection::Failure;

impl Worker {
    /// True if the target queue is empty. Redis then reports its next change.
    pub(super) async fn is_empty(&self) -> Result<bool, Failure> {
        let mut command = redis::cmd("LLEN");
        command.arg(self.station.keys.target());
        match self.station.route.delivery().watch::<u64>(command).await {
            // The next claim fails in the same way, and its error names the key.
            Err(Failure::Refused(error)) if error.code() == Some("WRONGTYPE") => Ok(false),
            length => length.map(|length| length == 0),
        }
    }

    /// Tells the other clients of the queue that callers wait here.
    pub(super) async fn announce(&self) -> Result<(), Failure> {
        let mut command = redis::cmd("PUBLISH");
        let link = self.station.route.delivery();
        command.arg(self.station.keys.moved(link.database()));
        command.arg(self.station.sides.peer().waiting());
        let told = link
            .call(|mut connection| async move { command.exec_async(&mut connection).await })
            .await;
        match told {
            // Without the right to publish, this client relies on Redis's reports.
            Err(Failure::Refused(_)) => Ok(()),
            told => told,
        }
    }

    /// Asks Redis to report the next change of the queue's state.
    pub(super) async fn watch_state(&self) -> Result<(), Failure> {
        let mut command = redis::cmd("EXISTS");
        command.arg(self.station.keys.state());
        match self.station.route.delivery().watch::<u64>(command).await {
            // Without the right, this client claims again after a while.
            Err(Failure::Refused(error)) if error.code() == Some("NOPERM") => Ok(()),
            watched => watched.map(drop),
        }
    }

    /// Claims nothing for `wait`, or until Redis reports that the queue's state has changed.
    pub(super) async fn bar(&mut self, wait: Duration) -> Result<(), Failure> {
        let now = Instant::now();
        let wait = wait.min(self.station.options.safety_poll);
        if !self.bars.needs_promise(wait) {
            self.bars.until = Some(now + wait);
            return Ok(());
        }
        let wait_to_ask = self.bars.wait_to_ask(now);
        if wait_to_ask.is_zero() {
            self.watch_state().await?;
            self.bars.promised();
        } else {
            self.bars.until = Some(now + wait.min(wait_to_ask));
        }
        Ok(())
    }
}
