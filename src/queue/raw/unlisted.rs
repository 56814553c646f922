//! Pending elements by due time, for the calls of unlisted handles.

use std::collections::HashSet;

use bytes::Bytes;

use super::RawQueue;
use crate::error::Result;
use crate::ticket::Ticket;
use crate::wire::script::{self, Scored, Sought};

impl RawQueue {
    /// The element with this payload that is due first.
    pub(super) async fn find_by_due(&self, payload: &[u8]) -> Result<Option<Ticket>> {
        let mut after: Option<Scored> = None;
        loop {
            let bytes = payload.len() + after.as_ref().map_or(0, |it| it.member.len());
            let sought = self
                .read_script(bytes, |connection| {
                    script::seek(connection, &self.keys, after.as_ref(), Self::PAGE, payload)
                })
                .await?;
            after = match sought {
                Sought::Found(member) => return Ok(Ticket::from_bytes(member).ok()),
                Sought::NotUpTo(last) => Some(last),
                Sought::Nothing => return Ok(None),
            };
        }
    }

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
