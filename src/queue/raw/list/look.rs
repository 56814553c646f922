//! Looking at the target queue.

use bytes::Bytes;
use futures::stream::{self, TryStreamExt};

use super::Places;
use crate::error::{Result, Step};
use crate::queue::raw::RawQueue;
use crate::queue::raw::page_size::{PageSize, signed};
use crate::side::Side;

impl RawQueue {
    /// How many elements to read in one command: about 1 ms of Redis's time.
    pub(crate) const TARGET_PAGE: usize = 1_000;
    /// How many searches to send without waiting for the earlier ones.
    const SEARCHES: usize = 16;

    /// The payload at `index`; -1 is the last place.
    pub(crate) async fn target_get(&self, index: i64) -> Result<Option<Bytes>> {
        let mut command = redis::cmd("LINDEX");
        command.arg(self.keys.target()).arg(index);
        let payload: Option<Vec<u8>> = self.read_command(&command).await?;
        Ok(payload.map(Bytes::from))
    }

    /// The place of this payload that is nearest to the side `from`.
    pub(crate) async fn target_find(&self, payload: &[u8], from: Side) -> Result<Option<usize>> {
        let mut command = redis::cmd("LPOS");
        command.arg(self.keys.target()).arg(payload);
        if from == Side::Last {
            command.arg("RANK").arg(-1);
        }
        self.command(Step::Read, true, &command).await
    }

    pub(crate) async fn target_contains_all(&self, payloads: &[Bytes]) -> Result<bool> {
        let searches = payloads.iter().map(|it| self.target_find(it, Side::First));
        stream::iter(searches.map(Ok))
            .try_buffered(Self::SEARCHES)
            .try_all(async |place| place.is_some())
            .await
    }

    pub(crate) async fn target_read_all(&self) -> Result<Vec<Bytes>> {
        let mut size = PageSize::new(Self::TARGET_PAGE);
        let mut pages = Vec::new();
        let mut last = -1;
        // From the last element to the first, with places counted from the end: elements that leave at the
        // front move none of these places. An appended element moves the rest towards the places
        // still to be read.
        loop {
            let most = size.next();
            let first = last - signed(most) + 1;
            let page = self.target_page(first, last, &mut size).await?;
            let ends = page.len() < most;
            pages.push(page);
            if ends {
                return Ok(pages.into_iter().rev().flatten().collect());
            }
            last -= signed(most);
        }
    }

    pub(crate) async fn target_range(&self, places: Places) -> Result<Vec<Bytes>> {
        let Places { first, last } = places;
        let mut size = PageSize::new(Self::TARGET_PAGE);
        if let Some(last) = last.filter(|last| last - first < Self::TARGET_PAGE) {
            return self
                .target_page(signed(first), signed(last), &mut size)
                .await;
        }
        let length = self.target_len().await?;
        let mut end = last.map_or(length, |last| length.min(last + 1));
        let mut pages = Vec::new();
        // As in `target_read_all`, but here places are counted from the front.
        while end > first {
            let start = first.max(end.saturating_sub(size.next()));
            let (first, last) = (signed(start), signed(end - 1));
            pages.push(self.target_page(first, last, &mut size).await?);
            end = start;
        }
        Ok(pages.into_iter().rev().flatten().collect())
    }

    /// The payloads from one place to another, both included, in one command.
    pub(crate) async fn target_page(
        &self,
        first: i64,
        last: i64,
        size: &mut PageSize,
    ) -> Result<Vec<Bytes>> {
        self.list_page(self.keys.target(), first, last, size).await
    }
}
