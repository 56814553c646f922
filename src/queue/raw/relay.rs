//! Moving elements to another queue, and waiting for them.
//!
//! One script moves an element, so it is always at one of both places, and there is nothing to
//! claim. It runs again when the hints that wake takers say so.

use std::time::Instant;

use bytes::Bytes;
use tokio::time::timeout_at;

use super::RawQueue;
use crate::delivery::intake::Patience;
use crate::error::{Result, Step};
use crate::link::connection::Failure;
use crate::wire::keys::QueueKeys;
use crate::wire::script::{self, Bar};

impl RawQueue {
    /// Moves the last element to the head of the queue `name`, as soon as there is one; nothing if
    /// there is none when the patience ends.
    pub(crate) async fn relay(&self, name: &str, patience: Patience) -> Result<Option<Bytes>> {
        let other = QueueKeys::new(name)?;
        let mut hints = self.ends.hints();
        let mut is_told_of_bars = false;
        loop {
            // What is said from here on may be news.
            hints.borrow_and_update();
            let relayed = self
                .call_fitting(Step::Relay, |connection, bytes| {
                    script::relay(connection, &self.keys, other.target(), bytes)
                })
                .await?;
            if let Some(payload) = relayed.payload {
                return Ok(Some(payload.into()));
            }
            let now = Instant::now();
            let deadline = match patience {
                Patience::Forever => None,
                Patience::Once => Some(now),
                Patience::Until(deadline) => Some(deadline),
            };
            if deadline.is_some_and(|deadline| deadline <= now) {
                return Ok(None);
            }
            let asked = match relayed.bar {
                Bar::None => self.ask_for_hints("LLEN", self.keys.target()).await,
                // What was changed before Redis was asked shows in one more attempt.
                _ if !std::mem::replace(&mut is_told_of_bars, true) => {
                    let asked = self.ask_for_hints("EXISTS", self.keys.state()).await;
                    asked.map(|_| 1)
                }
                _ => Ok(0),
            };
            let wait = match (asked, relayed.bar) {
                (Ok(1..), _) => continue,
                (Ok(0), Bar::Limited(wait)) => wait.min(self.client.options.safety_poll),
                (Ok(0), _) => self.client.options.safety_poll,
                // Without hints it takes looking.
                (Err(_), _) => self.client.options.longest_pause(),
            };
            let until = deadline.map_or(now + wait, |deadline| deadline.min(now + wait));
            if matches!(timeout_at(until.into(), hints.changed()).await, Ok(Ok(()))) {
                is_told_of_bars = false;
            }
        }
    }

    /// Reads `key` and has Redis say when it changes.
    async fn ask_for_hints(&self, command: &str, key: &str) -> Result<u64, Failure> {
        let mut command = redis::cmd(command);
        command.arg(key);
        self.client.delivery.watch(command).await
    }
}
