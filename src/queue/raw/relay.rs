//! Moving elements to another queue: ready elements, with a wait for them, and pending elements.
//!
//! One script moves an element, so it is always in one of the two queues, and there is nothing to
//! claim. The script for ready elements runs again when the hints that wake takers say so.

use bytes::Bytes;
use tokio::time::{Instant, timeout_at};

use super::RawQueue;
use crate::delivery::intake::Patience;
use crate::delivery::trust::Trust;
use crate::error::{Result, Step};
use crate::link::connection::Failure;
use crate::listing::Listing;
use crate::options::Options;
use crate::wire::script;

impl RawQueue {
    /// Moves the last ready element to the head of the queue `name`, as soon as there is one;
    /// `None` if there is none when the patience ends.
    pub(crate) async fn relay(&self, name: &str, patience: Patience) -> Result<Option<Bytes>> {
        let other = self.partner(name)?;
        let mut hints = self.sides.hints();
        let mut is_told_of_bars = false;
        let mut trust = Trust::new(self.session.options.longest_pause());
        loop {
            // Hints from here on are new.
            hints.borrow_and_update();
            let relayed = self
                .script_moving(Step::Relay, |connection, bytes| {
                    script::relay(connection, &self.keys, other.target(), bytes)
                })
                .await?;
            let reporter = &self.session.reporter;
            reporter.report_quarantined(self.keys.name(), relayed.quarantined);
            if let Some(payload) = relayed.payload {
                return Ok(Some(payload.into()));
            }
            let now = Instant::now();
            let deadline = match patience {
                Patience::Forever => None,
                Patience::Known | Patience::Once => Some(now),
                Patience::Until(deadline) => Some(deadline),
            };
            if deadline.is_some_and(|deadline| deadline <= now) {
                return Ok(None);
            }
            let ask_after = trust.wait(now);
            let asked = match relayed.wait {
                // Waits until it may ask.
                _ if !ask_after.is_zero() => Ok(0),
                None => self.ask_for_hints("LLEN", self.keys.target()).await,
                // A change before Redis was asked shows in one more attempt.
                _ if !std::mem::replace(&mut is_told_of_bars, true) => {
                    let asked = self.ask_for_hints("EXISTS", self.keys.state()).await;
                    asked.map(|_| 1)
                }
                _ => Ok(0),
            };
            let longest = match ask_after.is_zero() {
                true => self.session.options.safety_poll,
                false => ask_after,
            };
            let wait = match asked {
                Ok(1..) => continue,
                Ok(0) => relayed.wait.map_or(longest, |wait| wait.min(longest)),
                // Without hints, looks often.
                Err(_) => self.session.options.longest_pause(),
            };
            let until = deadline.map_or(now + wait, |deadline| deadline.min(now + wait));
            if matches!(timeout_at(until, hints.changed()).await, Ok(Ok(()))) {
                is_told_of_bars = false;
                // Until the next attempt brings something.
                trust.lose(Instant::now());
            }
        }
    }

    /// Moves the pending element that was offered last to the front of the list `destination`; for
    /// an unlisted handle the one that is due last.
    pub(crate) async fn poll_last(
        &self,
        destination: &str,
        listing: Listing,
    ) -> Result<Option<Bytes>> {
        let by_due = listing == Listing::Unlisted;
        let mut passed = 0;
        loop {
            let (payload, next) = self
                .script_moving(Step::PollPending, |connection, bytes| {
                    script::poll_last(
                        connection,
                        &self.keys,
                        destination,
                        Options::ID_MEMORY,
                        by_due,
                        bytes,
                        passed,
                    )
                })
                .await?;
            if next == 0 {
                return Ok(payload.map(Bytes::from));
            }
            passed = next;
        }
    }

    /// Reads `key` and asks Redis to report when it changes.
    async fn ask_for_hints(&self, command: &str, key: &str) -> Result<u64, Failure> {
        let mut command = redis::cmd(command);
        command.arg(key);
        self.session.node(&self.keys).delivery.watch(command).await
    }
}
