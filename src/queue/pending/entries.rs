//! Pending elements with their due times, one after the other.

use std::fmt;
use std::ops::RangeBounds;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::SystemTime;

use futures::stream::{Stream, StreamExt};

use super::Pending;
use crate::entry::{Entry, ScoreRange};
use crate::error::Result;
use crate::queue::stream::QueueStream;

/// Pending elements with their due times.
impl<T: 'static> Pending<T> {
    /// All pending elements by due time, with their due times and tickets.
    ///
    /// An element that stays pending and keeps its due time comes once, whatever else is offered,
    /// moved and removed meanwhile. An element that comes, goes or is rescheduled meanwhile may be
    /// missing. An element that is rescheduled to a later time may come again, each time. So a loop
    /// that reschedules the elements it gets ends only if it moves them behind the end of
    /// [`between`](Self::between). Elements that are due in the same millisecond come in the order
    /// in which they become takeable.
    ///
    /// If the codec does not understand an element, the item is an
    /// [`Error::Decode`](crate::Error::Decode), and the stream goes on.
    ///
    /// # Compatibility
    ///
    /// `RDelayedQueue.iterator()` goes in offer order, knows no due time, and counts places in a
    /// list that moves. It fails on a malformed member, which this stream leaves out and
    /// [counts](Entries::unreadable). To remove an element that was found,
    /// [`cancel`](crate::DelayedQueue::cancel) its ticket.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// let mut entries = queue.pending().iter();
    /// while let Some(entry) = entries.next().await {
    ///     let entry = entry?;
    ///     if entry.value.starts_with("test ") {
    ///         queue.cancel(&entry.ticket).await?;
    ///     }
    /// }
    /// # Ok(()) }
    /// ```
    #[doc(alias = "iterator")]
    pub fn iter(&self) -> Entries<T> {
        self.entries(ScoreRange::everything())
    }

    /// The pending elements that are due within `range`, by due time.
    ///
    /// Otherwise as [`iter`](Self::iter). Finding the first is O(log N) more.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::time::{Duration, SystemTime};
    ///
    /// # fn run(queue: redisson_delayed_queue::DelayedQueue<String>) {
    /// let now = SystemTime::now();
    /// let of_the_next_hour = queue.pending().between(now..now + Duration::from_secs(3_600));
    /// # }
    /// ```
    pub fn between(&self, range: impl RangeBounds<SystemTime>) -> Entries<T> {
        self.entries(ScoreRange::of(&range))
    }

    fn entries(&self, range: ScoreRange) -> Entries<T> {
        let core = self.core.clone();
        let unreadable = Arc::<AtomicU64>::default();
        let entries = Arc::clone(&self.core.raw).entries(range, Arc::clone(&unreadable));
        let decoded = entries.map(move |entry| entry.and_then(|it| core.decode_entry(it)));
        Entries {
            unreadable,
            entries: QueueStream::new(self.core.name(), decoded),
        }
    }
}

/// Pending elements by due time, from [`Pending::iter`] and [`Pending::between`]: a [`QueueStream`]
/// that knows what it left out.
#[must_use = "a stream does nothing unless it is polled"]
pub struct Entries<T> {
    unreadable: Arc<AtomicU64>,
    entries: QueueStream<Entry<T>>,
}

impl<T> Entries<T> {
    /// The next element; `None` at the [end](QueueStream::next).
    #[expect(clippy::should_implement_trait, reason = "streams call it so")]
    pub fn next(&mut self) -> impl Future<Output = Option<Result<Entry<T>>>> + Send + Unpin {
        self.entries.next()
    }

    /// How many members the stream has left out so far, because nobody can read them. It reads a page
    /// of members ahead.
    ///
    /// A client that transfers [sets such members aside](crate::DelayedQueue::quarantine) before they
    /// are due. They stop every Redisson client of the queue.
    #[must_use]
    pub fn unreadable(&self) -> u64 {
        self.unreadable.load(Ordering::Relaxed)
    }
}

impl<T> Stream for Entries<T> {
    type Item = Result<Entry<T>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.entries.poll_next_unpin(context)
    }
}

impl<T> fmt::Debug for Entries<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entries.fmt(f)
    }
}
