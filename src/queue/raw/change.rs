//! Changing and taking out what is not yet due.

use super::RawQueue;
use crate::error::{Result, Step};
use crate::ordering::Ordering;
use crate::ticket::Ticket;

impl RawQueue {
    pub(crate) async fn cancel(&self, ticket: &Ticket) -> Result<bool> {
        let removed = self.remove_members(&[ticket], false).await?;
        Ok(removed.count > 0)
    }

    /// Removes the element with this payload that is the first in the order that its handle sees.
    pub(crate) async fn remove(&self, payload: &[u8], ordering: Ordering) -> Result<bool> {
        let listed = ordering == Ordering::Listed;
        while let Some(ticket) = self.find(payload, true, ordering).await? {
            // Otherwise it was moved or removed since it was found; an equal one may be left.
            if self.remove_members(&[&ticket], listed).await?.count > 0 {
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
