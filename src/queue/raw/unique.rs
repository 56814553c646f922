//! Offers that look at pending elements.

use bytes::Bytes;

use super::RawQueue;
use super::offer::{Item, added};
use crate::error::{Result, Step};
use crate::listing::Listing;
use crate::offer::{Attempts, Failed, Stored};
use crate::offered::{Offered, Outcome};
use crate::ticket::Ticket;
use crate::wire::packed::Packed;
use crate::wire::script::{self, Answer, Key, Searched};

impl RawQueue {
    /// Makes one offer of any kind.
    pub(super) async fn make(
        &self,
        item: &Item,
        listing: Listing,
    ) -> Result<Stored<Offered>, Failed> {
        let element = &item.element;
        let made = match (&item.key, listing) {
            (None, _) => {
                let stored = self.store(element, item.durable);
                return Ok(stored.await?.map(|()| added(element)));
            }
            // In boxes, so that a plain offer stays small.
            (Some(Key::InQueue), Listing::Listed) => {
                Box::pin(self.offer_unique_listed(item)).await?
            }
            (Some(key), _) => Box::pin(self.offer_keyed(item, key)).await?,
        };
        if matches!(made.done.outcome, Outcome::Added | Outcome::Replaced) {
            self.meter().added(1);
        }
        Ok(made)
    }

    async fn offer_keyed(&self, item: &Item, key: &Key) -> Result<Stored<Offered>, Failed> {
        let (element, replaces) = (&item.element, item.replaces());
        let (keys, parts) = (&*self.keys, element.parts());
        let mut attempts = Attempts::noted(&self.session, keys, element).durably(item.durable);
        if let Key::Chosen(key) = key {
            attempts.set_bytes(element.size() + key.len());
        }
        // The element that the last such call handled is found without a search.
        let mut searched: Option<Option<Ticket>> = None;
        loop {
            let attempt = |connection, attempt| {
                let key = (key, searched.as_ref().map(Option::as_ref));
                async move {
                    script::offer_keyed(connection, keys, parts, replaces, key, &attempt).await
                }
            };
            let Stored { done, shortfall } = attempts.run(attempt).await?;
            if let Answer::Done(outcome, pending) = done {
                let done = offered(outcome, pending, &element.ticket);
                return Ok(Stored { done, shortfall });
            }
            let search = self.find_by_due(element.payload()).await;
            let found = search.map_err(|error| attempts.end(error))?;
            let bytes = found.as_ref().map_or(0, |it| it.as_bytes().len());
            attempts.set_bytes(element.size() + bytes);
            searched = Some(found);
        }
    }

    /// The element that is pending under `key` of an offer with this payload.
    pub(crate) async fn pending_under(&self, key: &Key, payload: &[u8]) -> Result<Option<Ticket>> {
        let bytes = match key {
            Key::Chosen(key) => key.len(),
            _ => payload.len(),
        };
        let script = |connection| script::pending_under(connection, &self.keys, key, payload);
        let member = self.read_script(bytes, script).await?;
        Ok(member.and_then(|member| Ticket::from_bytes(member).ok()))
    }

    /// Offers an element; at most one listed element may have its payload.
    async fn offer_unique_listed(&self, item: &Item) -> Result<Stored<Offered>, Failed> {
        let (element, replaces) = (&item.element, item.replaces());
        let (keys, parts) = (&*self.keys, element.parts());
        let mut attempts = Attempts::noted(&self.session, keys, element).durably(item.durable);
        // A short list is searched in the script itself.
        let mut searched = Searched::default();
        loop {
            let attempt = |connection, attempt| {
                let searched = &searched;
                async move {
                    let script = script::offer_unique_listed;
                    script(connection, keys, parts, replaces, searched, &attempt).await
                }
            };
            let Stored { done, shortfall } = attempts.run(attempt).await?;
            if let Answer::Done(outcome, pending) = done {
                let done = offered(outcome, pending, &element.ticket);
                return Ok(Stored { done, shortfall });
            }
            let search = self.search(element.payload(), searched).await;
            searched = search.map_err(|error| attempts.end(error))?;
            let found = searched.found.as_ref().map_or(0, Vec::len);
            attempts.set_bytes(element.size() + found);
        }
    }

    /// Looks for the oldest member with this payload. If an earlier search found none, looks only
    /// at the members appended since.
    async fn search(&self, payload: &[u8], before: Searched) -> Result<Searched> {
        let newest = self.newest().await?;
        let mut known = match before {
            Searched {
                found: None,
                newest: Some(newest),
            } => Some(newest),
            _ => None,
        };
        let mut found = None;
        let mut pages = self.pages_down().await?;
        while let Some((first, last)) = pages.next() {
            let member = self
                .find_between(first, last, payload, &mut pages.size)
                .await?;
            found = member.or(found);
            if let Some(member) = known.take() {
                let place = self.place_of(&member).await?;
                // Members only move down, so this member was read already if it stands at `first`
                // or above.
                if place.is_some_and(|place| place >= first) {
                    break;
                }
                // If it is gone, reads everything.
                known = place.map(|_| member);
            }
        }
        Ok(Searched { found, newest })
    }

    /// The last entry of the ordering list that is a member, or the last entry if none of the last
    /// 100 is one.
    async fn newest(&self) -> Result<Option<Vec<u8>>> {
        // Usually the last entry is a member.
        for first in [-1, -100] {
            let mut command = redis::cmd("LRANGE");
            command.arg(self.keys.ordering()).arg(first).arg(-1);
            let entries: Vec<Vec<u8>> = self.read_command(&command).await?;
            let is_member = |entry: &&Vec<u8>| Packed::parse(Bytes::copy_from_slice(entry)).is_ok();
            if let Some(last) = entries.iter().rfind(is_member) {
                return Ok(Some(last.clone()));
            }
            if first == -100 || entries.is_empty() {
                return Ok(entries.into_iter().next_back());
            }
        }
        Ok(None)
    }

    /// The place of a member in the ordering list.
    async fn place_of(&self, member: &[u8]) -> Result<Option<usize>> {
        let mut command = redis::cmd("LPOS");
        command.arg(self.keys.ordering()).arg(member);
        command.arg("RANK").arg(-1);
        self.command(Step::Read, true, &command).await
    }
}

/// The answer to an offer. `pending` is the member that is pending if it is another.
fn offered(outcome: Outcome, pending: Vec<u8>, own: &Ticket) -> Offered {
    let pending = Ticket::from_bytes(pending).ok();
    Offered {
        ticket: pending.unwrap_or_else(|| own.clone()),
        outcome,
    }
}
