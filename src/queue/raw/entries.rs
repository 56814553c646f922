//! Reading pending elements with their due times.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::stream::Stream;

use super::RawQueue;
use crate::entry::ScoreRange;
use crate::error::Result;
use crate::queue::stream::paged;
use crate::wire::script::{self, RawEntry, Scored};

/// All elements by due time, page by page.
#[derive(Debug)]
pub(super) struct Pages<'q> {
    queue: &'q RawQueue,
    /// The entry after which the next page begins; `None` after the last page.
    rest: Option<Option<Scored>>,
    /// The most entries of the next page.
    count: usize,
}

impl Pages<'_> {
    /// The elements of the next page, which may be empty; `None` behind the last page.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<RawEntry>>> {
        let Some(after) = self.rest.take() else {
            return Ok(None);
        };
        let (key, range) = (self.queue.keys.timeouts(), ScoreRange::everything());
        let page = self.queue.members(key, &range, after.as_ref(), self.count);
        let (members, next) = page.await?;
        self.rest = next.map(Some);
        Ok(Some(members.into_iter().filter_map(RawEntry::of).collect()))
    }
}

impl RawQueue {
    /// How many entries of a sorted set to read in one script: about 1 ms of Redis's time.
    pub(crate) const ENTRIES: usize = 500;

    /// All elements by due time, at most `count` entries in a page.
    pub(super) fn pages(&self, count: usize) -> Pages<'_> {
        Pages {
            queue: self,
            rest: Some(None),
            count,
        }
    }

    /// A page of a sorted set of members, and behind which of them the next page begins; see
    /// [`script::page`].
    pub(crate) async fn members(
        &self,
        key: &str,
        range: &ScoreRange,
        after: Option<&Scored>,
        count: usize,
    ) -> Result<(Vec<Scored>, Option<Scored>)> {
        let bytes = after.map_or(0, |it| it.member.len());
        self.read_script(bytes, |it| script::page(it, key, range, after, count))
            .await
    }

    /// The elements in `range` by due time. An error is the last item. `unreadable` counts the
    /// malformed members that are left out.
    pub(crate) fn entries(
        self: Arc<Self>,
        range: ScoreRange,
        unreadable: Arc<AtomicU64>,
    ) -> impl Stream<Item = Result<RawEntry>> + Send {
        paged(None, move |after: Option<Scored>| {
            let (queue, range) = (Arc::clone(&self), range.clone());
            let unreadable = Arc::clone(&unreadable);
            async move {
                let key = queue.keys.timeouts();
                let page = queue.members(key, &range, after.as_ref(), Self::ENTRIES);
                let (members, next) = page.await?;
                let read = members.len();
                let entries: Vec<_> = members.into_iter().filter_map(RawEntry::of).collect();
                unreadable.fetch_add((read - entries.len()) as u64, Ordering::Relaxed);
                Ok((entries, next.map(Some)))
            }
        })
    }

    /// The elements that become due first, up to `count`: at least one if there is any.
    pub(crate) async fn soonest(&self, count: usize) -> Result<Vec<RawEntry>> {
        // Skips malformed members before the first element.
        let mut pages = self.pages(count);
        while let Some(mut entries) = pages.next().await? {
            if !entries.is_empty() {
                entries.truncate(count);
                return Ok(entries);
            }
            pages.count = Self::ENTRIES;
        }
        Ok(Vec::new())
    }
}
