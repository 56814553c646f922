//! Scheduling elements in the place of others.

use std::time::Duration;

use bytes::Bytes;

use super::RawQueue;
use super::pace::Pace;
use crate::error::{Result, Step};
use crate::offer::{Due, Element, Offer};
use crate::ordering::Ordering;
use crate::payload::check_argument;
use crate::placed::{IfPending, Placed};
use crate::ticket::Ticket;
use crate::wire::packed::Packed;
use crate::wire::script::{self, Done, Key, Searched};

impl RawQueue {
    pub(crate) async fn offer_keyed(
        &self,
        key: Key<'_>,
        payload: &[u8],
        delay: Duration,
        if_pending: IfPending,
        ordering: Ordering,
    ) -> Result<Placed> {
        let replace = if_pending == IfPending::Replace;
        let element = self.element(payload, Due::after(delay)?, ordering);
        let (keys, parts) = (&*self.keys, element.parts());
        let attempt = |connection, attempt| async move {
            script::offer_keyed(connection, keys, parts, key, replace, &attempt).await
        };
        let mut offer = Offer::noted(&self.client, keys, &element);
        if let Key::Chosen(key) = key {
            check_argument(key.len() + 1)?;
            offer.set_bytes(element.size() + key.len());
        }
        let offered = offer.run(attempt).await;
        match offered {
            Ok((done, pending)) => {
                let pending = Ticket::from_bytes(pending).unwrap_or(element.ticket);
                Ok(placed(done, pending))
            }
            Err(failed) => Err(self.failed(failed, element.ticket)),
        }
    }

    /// Offers the payload in the place of an element that has it: the oldest, if it is listed.
    pub(crate) async fn replace(
        &self,
        payload: &[u8],
        delay: Duration,
        ordering: Ordering,
    ) -> Result<Placed> {
        let element = self.element(payload, Due::after(delay)?, ordering);
        match ordering {
            Ordering::Listed => self.replace_oldest(payload, element).await,
            Ordering::Unlisted => self.replace_due(payload, element).await,
        }
    }

    async fn replace_oldest(&self, payload: &[u8], element: Element) -> Result<Placed> {
        let (keys, parts) = (&*self.keys, element.parts());
        let mut offer = Offer::noted(&self.client, keys, &element);
        // A short list is searched in the script itself.
        let mut searched = Searched::default();
        loop {
            let attempt = |connection, attempt| {
                let searched = &searched;
                async move { script::replace(connection, keys, parts, searched, &attempt).await }
            };
            match offer.run(attempt).await {
                Ok(Some(done)) => return Ok(placed(done, element.ticket)),
                Ok(None) => {}
                Err(failed) => return Err(self.failed(failed, element.ticket)),
            }
            searched = match self.search(payload, searched).await {
                Ok(searched) => searched,
                Err(error) => return Err(self.failed(offer.end(error), element.ticket)),
            };
            let found = searched.found.as_ref().map_or(0, Vec::len);
            offer.set_bytes(element.size() + found);
        }
    }

    /// As [`replace_oldest`](Self::replace_oldest), for elements that may not be listed.
    async fn replace_due(&self, payload: &[u8], element: Element) -> Result<Placed> {
        let (keys, parts) = (&*self.keys, element.parts());
        let mut offer = Offer::noted(&self.client, keys, &element);
        // What the last such call has placed is found without a search.
        let mut searched = None;
        loop {
            let attempt = |connection, attempt| {
                let found = searched.as_ref().map(|it: &Option<Ticket>| it.as_ref());
                async move { script::replace_due(connection, keys, parts, found, &attempt).await }
            };
            match offer.run(attempt).await {
                Ok(Some(done)) => return Ok(placed(done, element.ticket)),
                Ok(None) => {}
                Err(failed) => return Err(self.failed(failed, element.ticket)),
            }
            searched = match self.find_by_due(payload).await {
                Ok(found) => Some(found),
                Err(error) => return Err(self.failed(offer.end(error), element.ticket)),
            };
            let found = searched.as_ref().and_then(Option::as_ref);
            offer.set_bytes(element.size() + found.map_or(0, |it| it.as_bytes().len()));
        }
    }

    /// Looks for the oldest member with this payload, among what was appended since an earlier
    /// search if that found none.
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
        // As in `find_oldest`.
        let mut end = self.listed().await?;
        let mut pace = Pace::new(Self::PAGE);
        while end > 0 {
            let first = end.saturating_sub(pace.next());
            let member = self
                .find_between(first, end - 1, payload, &mut pace)
                .await?;
            found = member.or(found);
            if let Some(member) = known.take() {
                let place = self.place_of(&member).await?;
                // It only moves down, so it has been read if it is not below what has been.
                if place.is_some_and(|place| place >= first) {
                    break;
                }
                // Once it is gone, all has to be read.
                known = place.map(|_| member);
            }
            end = first;
        }
        Ok(Searched { found, newest })
    }

    /// The last member of the ordering list: one that can be told apart from all others, if
    /// possible.
    async fn newest(&self) -> Result<Option<Vec<u8>>> {
        // As a rule it is the last entry.
        for first in [-1, -100] {
            let mut command = redis::cmd("LRANGE");
            command.arg(self.keys.ordering()).arg(first).arg(-1);
            let entries: Vec<Vec<u8>> = self.fetch(self.keys.ordering(), &command).await?;
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
        self.query(Step::Read, true, self.keys.ordering(), &command)
            .await
    }
}

fn placed(done: Done, pending: Ticket) -> Placed {
    match done {
        Done::Kept => Placed::Kept(pending),
        Done::Moved => Placed::Moved(pending),
        Done::Offered => Placed::Offered(pending),
        Done::Replaced => Placed::Replaced(pending),
    }
}
