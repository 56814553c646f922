//! Looking at what is not yet due.

use std::collections::HashSet;

use bytes::Bytes;

use super::RawQueue;
use super::pace::Pace;
use crate::error::Result;
use crate::ordering::Ordering;
use crate::ticket::Ticket;
use crate::wire::packed::Packed;
use crate::wire::script;

impl RawQueue {
    /// How many entries of the ordering list to read in one command, or of the timeout set to search
    /// in one script: about 1 ms of Redis's time.
    pub(super) const PAGE: usize = 1_000;

    pub(crate) async fn contains(&self, payload: &[u8], ordering: Ordering) -> Result<bool> {
        Ok(self.find(payload, false, ordering).await?.is_some())
    }

    /// Whether there is an element for each of these payloads.
    pub(crate) async fn contains_all(
        &self,
        mut payloads: HashSet<Bytes>,
        ordering: Ordering,
    ) -> Result<bool> {
        if payloads.is_empty() {
            return Ok(true);
        }
        if ordering == Ordering::Unlisted {
            return self.contains_all_by_due(payloads).await;
        }
        // As in `find_oldest`.
        let mut end = self.listed().await?;
        let mut pace = Pace::new(Self::PAGE);
        while end > 0 && !payloads.is_empty() {
            let first = end.saturating_sub(pace.next());
            let page = self.page(first, end - 1, &mut pace).await?;
            for payload in page.into_iter().filter_map(payload_of) {
                payloads.remove(&payload);
            }
            end = first;
        }
        Ok(payloads.is_empty())
    }

    /// The `first` element with this payload in the order that the handle sees, or any.
    pub(super) async fn find(
        &self,
        payload: &[u8],
        first: bool,
        ordering: Ordering,
    ) -> Result<Option<Ticket>> {
        match ordering {
            Ordering::Listed => self.find_oldest(payload, first).await,
            Ordering::Unlisted => self.find_by_due(payload).await,
        }
    }

    /// The oldest element with this payload, or the first one found.
    async fn find_oldest(&self, payload: &[u8], oldest: bool) -> Result<Option<Ticket>> {
        let mut found = None;
        // From the newest down: what leaves the list meanwhile moves the rest towards the places
        // still to be read, so nothing that stays is missed.
        let mut end = self.listed().await?;
        let mut pace = Pace::new(Self::PAGE);
        while end > 0 && (oldest || found.is_none()) {
            let first = end.saturating_sub(pace.next());
            let member = self
                .find_between(first, end - 1, payload, &mut pace)
                .await?;
            let ticket = member.and_then(|member| Ticket::from_bytes(member).ok());
            found = ticket.or(found);
            end = first;
        }
        Ok(found)
    }

    /// The oldest member with this payload in these places of the ordering list.
    pub(super) async fn find_between(
        &self,
        first: usize,
        last: usize,
        payload: &[u8],
        pace: &mut Pace,
    ) -> Result<Option<Vec<u8>>> {
        let (bytes, found) = self
            .read(payload.len(), |connection| {
                script::find(connection, &self.keys, first, last, payload)
            })
            .await?;
        pace.learn(last - first + 1, bytes);
        Ok(found)
    }

    /// The payloads of all elements that are not yet moved, in the order that the handle sees.
    pub(crate) async fn read_all(&self, ordering: Ordering) -> Result<Vec<Bytes>> {
        if ordering == Ordering::Unlisted {
            return self.read_all_by_due().await;
        }
        let mut pages = Vec::new();
        let mut seen = HashSet::new();
        // As in `find_oldest`; what is read twice because the list moved is told by its id.
        let mut end = self.listed().await?;
        let mut pace = Pace::new(Self::PAGE);
        while end > 0 {
            let first = end.saturating_sub(pace.next());
            let mut page = self.page(first, end - 1, &mut pace).await?;
            page.retain(|member| seen.insert(member.clone()));
            pages.push(page);
            end = first;
        }
        let members = pages.into_iter().rev().flatten();
        Ok(members.filter_map(payload_of).collect())
    }

    /// The payload of the first element in the order that the handle sees.
    pub(crate) async fn peek(&self, ordering: Ordering) -> Result<Option<Bytes>> {
        if ordering == Ordering::Unlisted {
            let first = self.first_entry().await?;
            return Ok(first.map(|it| it.payload));
        }
        let (mut first, mut last) = (0, 0);
        let mut pace = Pace::new(Self::PAGE);
        loop {
            let page = self.page(first, last, &mut pace).await?;
            if page.is_empty() {
                return Ok(None);
            }
            if let Some(payload) = page.into_iter().find_map(payload_of) {
                return Ok(Some(payload));
            }
            (first, last) = (last + 1, last + pace.next());
        }
    }

    /// The entries in these places of the ordering list.
    pub(super) async fn page(
        &self,
        first: usize,
        last: usize,
        pace: &mut Pace,
    ) -> Result<Vec<Bytes>> {
        let mut command = redis::cmd("LRANGE");
        command.arg(self.keys.ordering()).arg(first).arg(last);
        let members: Vec<Vec<u8>> = self.fetch(self.keys.ordering(), &command).await?;
        pace.learn(members.len(), members.iter().map(Vec::len).sum());
        Ok(members.into_iter().map(Bytes::from).collect())
    }

    pub(crate) async fn len(&self, ordering: Ordering) -> Result<usize> {
        match ordering {
            Ordering::Listed => self.listed().await,
            Ordering::Unlisted => self.scheduled().await,
        }
    }

    /// How many entries the ordering list has.
    pub(super) async fn listed(&self) -> Result<usize> {
        self.list_len(self.keys.ordering()).await
    }
}

fn payload_of(member: Bytes) -> Option<Bytes> {
    // Java fails on the whole list here; an entry that is no element is left out instead.
    Packed::parse(member).ok().map(|packed| packed.payload)
}
