//! Changing and taking out what is not yet due.

use super::RawQueue;
use crate::error::{Result, Step};
use crate::options::Options;
use crate::script;
use crate::ticket::Ticket;

impl RawQueue {
    pub(crate) async fn cancel(&self, ticket: &Ticket) -> Result<bool> {
        let removed = self.remove_member(ticket, false).await?;
        Ok(removed.was_scheduled)
    }

    async fn remove_member(&self, ticket: &Ticket, seen_listed: bool) -> Result<script::Removed> {
        self.client
            .call(Step::Cancel, false, |connection| {
                let (member, id) = (ticket.as_bytes(), ticket.id());
                script::remove(
                    connection,
                    &self.keys,
                    member,
                    id,
                    Options::SETTLED,
                    seen_listed,
                )
            })
            .await
    }

    /// Removes the oldest element with this payload.
    pub(crate) async fn remove(&self, payload: &[u8]) -> Result<bool> {
        while let Some(ticket) = self.find(payload, true).await? {
            let removed = self.remove_member(&ticket, true).await?;
            // Otherwise it was moved or removed since it was found; an equal one may be left.
            if removed.was_scheduled || removed.was_listed {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(crate) async fn clear(&self) -> Result<()> {
        let keys = &self.keys;
        let mut command = redis::cmd("DEL");
        command.arg(keys.timeouts()).arg(keys.ordering());
        // What they name is gone.
        command.arg(keys.keyed()).arg(keys.keyed_due());
        self.query(Step::Clear, true, keys.timeouts(), &command)
            .await
    }
}
