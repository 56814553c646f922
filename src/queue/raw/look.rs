//! Reading pending elements.

use std::collections::HashSet;

use bytes::Bytes;

use super::RawQueue;
use super::page_size::{PageSize, PagesDown, signed};
use crate::error::Result;
use crate::listing::Listing;
use crate::ticket::Ticket;
use crate::wire::packed::Packed;
use crate::wire::script;

impl RawQueue {
    /// How many entries of the ordering list to read in one command, or of the timeout set to search
    /// in one script: about 1 ms of Redis's time.
    pub(super) const PAGE: usize = 1_000;

    pub(crate) async fn contains(&self, payload: &[u8], listing: Listing) -> Result<bool> {
        Ok(self.find(payload, false, listing).await?.is_some())
    }

    pub(crate) async fn contains_all(
        &self,
        mut payloads: HashSet<Bytes>,
        listing: Listing,
    ) -> Result<bool> {
        if payloads.is_empty() {
            return Ok(true);
        }
        if listing == Listing::Unlisted {
            return self.contains_all_by_due(payloads).await;
        }
        let mut pages = self.pages_down().await?;
        while let Some((first, last)) = pages.next() {
            let page = self.page(first, last, &mut pages.size).await?;
            for payload in page.into_iter().filter_map(payload_of) {
                payloads.remove(&payload);
            }
            if payloads.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The `first` element with this payload in the order that the handle sees, or any.
    pub(super) async fn find(
        &self,
        payload: &[u8],
        first: bool,
        listing: Listing,
    ) -> Result<Option<Ticket>> {
        match listing {
            Listing::Listed => self.find_oldest(payload, first).await,
            Listing::Unlisted => self.find_by_due(payload).await,
        }
    }

    /// The oldest element with this payload, or the first one found.
    async fn find_oldest(&self, payload: &[u8], oldest: bool) -> Result<Option<Ticket>> {
        let mut found = None;
        let mut pages = self.pages_down().await?;
        while let Some((first, last)) = pages.next() {
            let member = self
                .find_between(first, last, payload, &mut pages.size)
                .await?;
            let ticket = member.and_then(|member| Ticket::from_bytes(member).ok());
            found = ticket.or(found);
            if found.is_some() && !oldest {
                break;
            }
        }
        Ok(found)
    }

    /// The oldest member with this payload in these places of the ordering list.
    pub(super) async fn find_between(
        &self,
        first: usize,
        last: usize,
        payload: &[u8],
        size: &mut PageSize,
    ) -> Result<Option<Vec<u8>>> {
        let (bytes, found) = self
            .read_script(payload.len(), |connection| {
                script::find(connection, &self.keys, first, last, payload)
            })
            .await?;
        size.learn(last - first + 1, bytes);
        Ok(found)
    }

    pub(crate) async fn read_all(&self, listing: Listing) -> Result<Vec<Bytes>> {
        if listing == Listing::Unlisted {
            return self.read_all_by_due().await;
        }
        let mut read = Vec::new();
        let mut seen = HashSet::new();
        let mut pages = self.pages_down().await?;
        while let Some((first, last)) = pages.next() {
            let mut page = self.page(first, last, &mut pages.size).await?;
            // Drops entries read twice because the list moved.
            page.retain(|member| seen.insert(member.clone()));
            read.push(page);
        }
        let members = read.into_iter().rev().flatten();
        Ok(members.filter_map(payload_of).collect())
    }

    pub(crate) async fn peek(&self, listing: Listing) -> Result<Option<Bytes>> {
        if listing == Listing::Unlisted {
            let first = self.soonest(1).await?.pop();
            return Ok(first.map(|it| it.payload));
        }
        let (mut first, mut last) = (0, 0);
        let mut size = PageSize::new(Self::PAGE);
        loop {
            let page = self.page(first, last, &mut size).await?;
            if page.is_empty() {
                return Ok(None);
            }
            if let Some(payload) = page.into_iter().find_map(payload_of) {
                return Ok(Some(payload));
            }
            (first, last) = (last + 1, last + size.next());
        }
    }

    /// The pages of the ordering list, from the newest entry down.
    pub(super) async fn pages_down(&self) -> Result<PagesDown> {
        Ok(PagesDown::new(self.listed_count().await?, Self::PAGE))
    }

    /// The entries in these places of the ordering list.
    pub(super) async fn page(
        &self,
        first: usize,
        last: usize,
        size: &mut PageSize,
    ) -> Result<Vec<Bytes>> {
        let (first, last) = (signed(first), signed(last));
        self.list_page(self.keys.ordering(), first, last, size)
            .await
    }

    pub(crate) async fn len(&self, listing: Listing) -> Result<usize> {
        match listing {
            Listing::Listed => self.listed_count().await,
            Listing::Unlisted => self.count("ZCARD", self.keys.timeouts()).await,
        }
    }

    pub(super) async fn listed_count(&self) -> Result<usize> {
        self.count("LLEN", self.keys.ordering()).await
    }
}

fn payload_of(member: Bytes) -> Option<Bytes> {
    // Java fails on the whole list here; an entry that is no element is left out instead.
    Packed::parse(member).ok().map(|packed| packed.payload)
}
