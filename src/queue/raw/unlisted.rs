//! Elements that need not be listed, by due time: what the calls of unlisted handles see.

use std::collections::HashSet;

use bytes::Bytes;

use super::{RawEntry, RawQueue};
use crate::entry::Span;
use crate::error::{Result, Step};
use crate::ticket::Ticket;
use crate::wire::script::{self, Place, Sought};

/// All elements by due time, page by page.
#[derive(Debug)]
pub(super) struct Pages<'a> {
    queue: &'a RawQueue,
    /// Behind which entry to go on, if any is left.
    rest: Option<Option<Place>>,
    count: usize,
}

impl Pages<'_> {
    /// The elements of the next page, which may hold none; nothing behind the last.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<RawEntry>>> {
        let Some(after) = self.rest.take() else {
            return Ok(None);
        };
        let (entries, next) = self
            .queue
            .read_entries(&Span::everything(), after.as_ref(), self.count)
            .await?;
        self.rest = next.map(Some);
        Ok(Some(entries))
    }
}

impl RawQueue {
    /// All elements, `count` entries a page at the most.
    pub(super) fn pages(&self, count: usize) -> Pages<'_> {
        Pages {
            queue: self,
            rest: Some(None),
            count,
        }
    }

    /// How many entries the timeout set has.
    pub(super) async fn scheduled(&self) -> Result<usize> {
        let mut command = redis::cmd("ZCARD");
        command.arg(self.keys.timeouts());
        self.query(Step::Read, true, self.keys.timeouts(), &command)
            .await
    }

    /// The element with this payload that is due first.
    pub(super) async fn find_by_due(&self, payload: &[u8]) -> Result<Option<Ticket>> {
        let mut after: Option<Place> = None;
        loop {
            let bytes = payload.len() + after.as_ref().map_or(0, |it| it.member.len());
            let sought = self
                .read(bytes, |connection| {
                    script::seek(connection, &self.keys, after.as_ref(), Self::PAGE, payload)
                })
                .await?;
            after = match sought {
                Sought::Found(member) => return Ok(Ticket::from_bytes(member).ok()),
                Sought::NotUpTo(place) => Some(place),
                Sought::Nothing => return Ok(None),
            };
        }
    }

    /// Whether there is an element for each of these payloads.
    pub(super) async fn contains_all_by_due(&self, mut payloads: HashSet<Bytes>) -> Result<bool> {
        let mut pages = self.pages(Self::ENTRIES);
        while let Some(entries) = pages.next().await? {
            for entry in entries {
                payloads.remove(&entry.payload);
            }
            if payloads.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The payloads of all elements.
    pub(super) async fn read_all_by_due(&self) -> Result<Vec<Bytes>> {
        let mut payloads = Vec::new();
        // One that is rescheduled meanwhile may come again.
        let mut seen = HashSet::new();
        let mut pages = self.pages(Self::ENTRIES);
        while let Some(entries) = pages.next().await? {
            let new = entries.into_iter().filter_map(|entry| {
                let is_new = seen.insert(entry.ticket);
                is_new.then_some(entry.payload)
            });
            payloads.extend(new);
        }
        Ok(payloads)
    }

    /// Removes the elements whose payload is among `payloads`, or is not, if it is to be `kept`.
    pub(super) async fn sift_by_due(
        &self,
        payloads: &HashSet<Bytes>,
        kept: bool,
        removed: &mut usize,
    ) -> Result<()> {
        let mut pages = self.pages(Self::ENTRIES);
        while let Some(entries) = pages.next().await? {
            let found: Vec<&Ticket> = entries
                .iter()
                .filter(|entry| payloads.contains(&entry.payload) != kept)
                .map(|entry| &entry.ticket)
                .collect();
            self.remove_many(&found, removed).await?;
        }
        Ok(())
    }
}
