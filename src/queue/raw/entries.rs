//! Reading elements with their due times.

use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use futures::stream::{self, Stream, StreamExt};

use super::RawQueue;
use crate::entry::{Span, due_of};
use crate::error::Result;
use crate::ticket::Ticket;
use crate::wire::packed::Packed;
use crate::wire::script::{self, Place};

/// An element that is not yet due.
#[derive(Debug)]
pub(crate) struct RawEntry {
    pub(crate) due: SystemTime,
    /// As Redis spells it.
    pub(crate) score: String,
    pub(crate) ticket: Ticket,
    pub(crate) payload: Bytes,
}

impl RawQueue {
    /// How many entries of the timeout set to read in one script: about 1 ms of Redis's time.
    pub(super) const ENTRIES: usize = 500;

    /// The elements in `span` by due time. An error is the last item.
    pub(crate) fn entries(
        self: Arc<Self>,
        span: Span,
    ) -> impl Stream<Item = Result<RawEntry>> + Send {
        let pages = stream::unfold(Some(None), move |after: Option<Option<Place>>| {
            let (queue, span) = (Arc::clone(&self), span.clone());
            async move {
                let after = after?;
                let read = queue.read_entries(&span, after.as_ref(), Self::ENTRIES);
                match read.await {
                    Ok((entries, next)) => {
                        let entries = entries.into_iter().map(Ok).collect();
                        Some((entries, next.map(Some)))
                    }
                    Err(error) => Some((vec![Err(error)], None)),
                }
            }
        });
        pages.flat_map(stream::iter)
    }

    /// The element that becomes due first.
    pub(crate) async fn first_entry(&self) -> Result<Option<RawEntry>> {
        let span = Span::everything();
        // Whatever stands before the first element is no element.
        let (mut after, mut count) = (None, 1);
        loop {
            let (entries, next) = self.read_entries(&span, after.as_ref(), count).await?;
            let first = entries.into_iter().next();
            if first.is_some() || next.is_none() {
                return Ok(first);
            }
            (after, count) = (next, Self::ENTRIES);
        }
    }

    /// The elements of one page, and the place where the next begins, if there is one.
    pub(super) async fn read_entries(
        &self,
        span: &Span,
        after: Option<&Place>,
        count: usize,
    ) -> Result<(Vec<RawEntry>, Option<Place>)> {
        let page = self
            .read(after.map_or(0, |it| it.member.len()), |connection| {
                script::page(connection, &self.keys, span, after, count)
            })
            .await?;
        let next = page.entries.last().filter(|_| page.has_more).cloned();
        let entries = page.entries.into_iter().filter_map(entry_of);
        Ok((entries.collect(), next))
    }
}

/// Nothing for what is no element, on which Java fails and which is quarantined in time.
fn entry_of(place: Place) -> Option<RawEntry> {
    // Redis writes what Rust reads, but for `nan`, which no score can be.
    let due = due_of(place.score.parse().ok()?);
    let member = Bytes::from(place.member);
    let packed = Packed::parse(member.clone()).ok()?;
    Some(RawEntry {
        due,
        score: place.score,
        ticket: Ticket::new(packed.id, member),
        payload: packed.payload,
    })
}
