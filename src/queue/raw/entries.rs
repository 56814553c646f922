//! Reading pending elements with their due times.

use std::borrow::Borrow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use bytes::Bytes;
use futures::stream::{self, Stream, TryStreamExt};

use super::RawQueue;
use crate::entry::{ScoreRange, due_of};
use crate::error::Result;
use crate::ticket::Ticket;
use crate::wire::packed::Packed;
use crate::wire::script::{self, Scored};

#[derive(Debug)]
pub(crate) struct RawEntry {
    pub(crate) due: SystemTime,
    /// As Redis spells it.
    pub(crate) score: String,
    pub(crate) ticket: Ticket,
    pub(crate) payload: Bytes,
}

/// The elements of a range by due time, page by page.
#[derive(Debug)]
pub(super) struct Pages<Q> {
    queue: Q,
    range: ScoreRange,
    /// The entry after which the next page begins; `None` after the last page.
    rest: Option<Option<Scored>>,
    /// The most entries of the next page.
    count: usize,
    /// How many malformed members were left out.
    unreadable: Arc<AtomicU64>,
}

impl<Q: Borrow<RawQueue>> Pages<Q> {
    fn new(queue: Q, range: ScoreRange, count: usize) -> Self {
        Self {
            queue,
            range,
            rest: Some(None),
            count,
            unreadable: Arc::default(),
        }
    }

    /// The elements of the next page, which may be empty; `None` behind the last page.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<RawEntry>>> {
        let Some(after) = self.rest.take() else {
            return Ok(None);
        };
        let queue = self.queue.borrow();
        let bytes = after.as_ref().map_or(0, |it| it.member.len());
        let page = queue
            .read_script(bytes, |connection| {
                script::page(
                    connection,
                    queue.keys.timeouts(),
                    &self.range,
                    after.as_ref(),
                    self.count,
                )
            })
            .await?;
        let next = page.entries.last().filter(|_| page.has_more);
        self.rest = next.cloned().map(Some);
        let read = page.entries.len();
        let entries: Vec<_> = page.entries.into_iter().filter_map(entry_of).collect();
        let unreadable = read - entries.len();
        self.unreadable
            .fetch_add(unreadable as u64, Ordering::Relaxed);
        Ok(Some(entries))
    }
}

impl RawQueue {
    /// How many entries of the timeout set to read in one script: about 1 ms of Redis's time.
    pub(super) const ENTRIES: usize = 500;

    /// All elements by due time, at most `count` entries in a page.
    pub(super) fn pages(&self, count: usize) -> Pages<&Self> {
        Pages::new(self, ScoreRange::everything(), count)
    }

    /// The elements in `range` by due time. An error is the last item. `unreadable` counts the
    /// malformed members that are left out.
    pub(crate) fn entries(
        self: Arc<Self>,
        range: ScoreRange,
        unreadable: Arc<AtomicU64>,
    ) -> impl Stream<Item = Result<RawEntry>> + Send {
        let pages = Pages {
            unreadable,
            ..Pages::new(self, range, Self::ENTRIES)
        };
        let pages = stream::try_unfold(pages, |mut pages| async {
            let page = pages.next().await;
            page.map(|page| page.map(|entries| (entries, pages)))
        });
        pages
            .map_ok(|entries| stream::iter(entries.into_iter().map(Ok)))
            .try_flatten()
    }

    /// The element that becomes due first.
    pub(crate) async fn first_entry(&self) -> Result<Option<RawEntry>> {
        // Skips malformed members before the first element.
        let mut pages = self.pages(1);
        while let Some(entries) = pages.next().await? {
            if let Some(first) = entries.into_iter().next() {
                return Ok(Some(first));
            }
            pages.count = Self::ENTRIES;
        }
        Ok(None)
    }
}

/// `None` for a malformed member, which the transfer quarantines.
fn entry_of(scored: Scored) -> Option<RawEntry> {
    // Rust parses every score Redis prints.
    let due = due_of(scored.score.parse().ok()?);
    let member = Bytes::from(scored.member);
    let packed = Packed::parse(member.clone()).ok()?;
    Some(RawEntry {
        due,
        score: scored.score,
        ticket: Ticket::new(packed.id, member),
        payload: packed.payload,
    })
}
