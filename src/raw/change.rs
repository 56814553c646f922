//! Changing and taking out what is not yet due.

use super::RawQueue;
use crate::error::{Result, Step};
use crate::ticket::Ticket;

impl RawQueue {
    pub(crate) async fn cancel(&self, ticket: &Ticket) -> Result<bool> {
        let removed = self.remove_members(&[ticket], false).await?;
        Ok(removed.count > 0)
    }

    /// Removes the oldest element with this payload.
    pub(crate) async fn remove(&self, payload: &[u8]) -> Result<bool> {
        while let Some(ticket) = self.find(payload, true).await? {
            // Otherwise it was moved or removed since it was found; an equal one may be left.
            if self.remove_members(&[&ticket], true).await?.count > 0 {
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
