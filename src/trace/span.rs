//! The spans. Ids stand for elements, since payloads may be private.

use std::fmt::{self, Display};

use futures::TryFutureExt;
use tracing::field::Empty;
use tracing::{Instrument, Span, debug_span, info_span};

use crate::error::Result;
use crate::ticket::Ticket;

pub(crate) fn offer(queue: &str, ticket: &Ticket) -> Span {
    let ticket = ShortId(ticket.id());
    info_span!("offer", queue, %ticket, otel.kind = "producer")
}

pub(crate) fn offer_all(queue: &str, count: usize) -> Span {
    info_span!("offer", queue, count, otel.kind = "producer")
}

/// A run of the transfer. Records how many elements it moved.
pub(crate) fn transfer(queue: &str) -> Span {
    debug_span!("transfer", queue, moved = Empty)
}

/// Takes elements in a span that says how many came. Cancel safe if `take` is.
///
/// Not an async function, whose future would hold `take` twice: calls nest deep.
pub(crate) fn take<T>(
    queue: &str,
    take: impl Future<Output = Result<T>>,
    count: impl FnOnce(&T) -> usize,
) -> impl Future<Output = Result<T>> {
    let span = info_span!("take", queue, count = Empty);
    let recorded = span.clone();
    // No await from here on: nobody else could have what was taken.
    take.instrument(span).inspect_ok(move |taken| {
        recorded.record("count", count(taken));
    })
}

/// Puts a [`take`] from one of many queues into a span, which says from which.
pub(crate) fn take_any<T>(
    take: impl Future<Output = Result<Option<(String, T)>>>,
) -> impl Future<Output = Result<Option<(String, T)>>> {
    let span = info_span!("take", queue = Empty, count = Empty);
    let recorded = span.clone();
    take.instrument(span).inspect_ok(move |taken| {
        recorded.record("count", usize::from(taken.is_some()));
        if let Some((queue, _)) = taken {
            recorded.record("queue", queue);
        }
    })
}

/// A handler has an element. Records whether it failed.
pub(crate) fn handle(queue: &str, delivery: &dyn Display, attempt: u16) -> Span {
    info_span!("handle", queue, %delivery, attempt, otel.kind = "consumer", otel.status_code = Empty)
}

pub(crate) fn note_failure(handle: &Span) {
    handle.record("otel.status_code", "ERROR");
}

/// The first bytes of an id.
struct ShortId<'a>(&'a [u8]);

impl ShortId<'_> {
    const LEN: usize = 16;
}

impl Display for ShortId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = self.0.iter().take(Self::LEN);
        first.try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
