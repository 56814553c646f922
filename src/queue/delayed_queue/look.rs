//! Looking at what is not yet due.

use std::ops::RangeBounds;
use std::sync::Arc;
use std::time::SystemTime;

use futures::stream::{Stream, StreamExt};

use super::DelayedQueue;
use crate::entry::{Entry, Span};
use crate::error::Result;
use crate::queue::raw::RawEntry;

/// Looking at what is not yet due.
impl<T: 'static> DelayedQueue<T> {
    /// Whether an element that is not yet due equals `value`.
    ///
    /// An [unlisted](crate::Ordering::Unlisted) handle can miss one that is rescheduled at this
    /// moment.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/find.lua` for up to 1,000 elements scheduled, from the newest on, until
    /// one is found. An unlisted handle: `lua/seek.lua` instead, from the first due on.
    ///
    /// # Compatibility
    ///
    /// As `RDelayedQueue.contains(o)`: by the bytes that the codec writes.
    ///
    /// # Errors
    ///
    /// Nothing is changed by any: [`Error::Encode`](crate::Error::Encode),
    /// [`Error::TooLarge`](crate::Error::TooLarge), or what keeps Redis from answering.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn contains(&self, value: &T) -> Result<bool> {
        self.core
            .contains(&self.encode(value)?, self.ordering)
            .await
    }

    /// Whether for each of `values` an element that is not yet due equals it; true for none.
    ///
    /// An element that is there throughout the call is seen. One that comes or goes meanwhile, or
    /// for an [unlisted](crate::Ordering::Unlisted) handle is rescheduled, may be or not.
    ///
    /// # Redis
    ///
    /// One `LRANGE` of the ordering list for up to 1,000 elements scheduled, from the newest on,
    /// until all are found. It carries their payloads; [`contains`](Self::contains) carries none.
    /// An unlisted handle reads as [`iter`](Self::iter).
    ///
    /// # Compatibility
    ///
    /// As `RDelayedQueue.containsAll(c)`, which blocks Redis for the whole search.
    ///
    /// # Errors
    ///
    /// As [`contains`](Self::contains).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn contains_all(&self, values: &[T]) -> Result<bool> {
        self.core
            .contains_all(self.encode_all(values)?, self.ordering)
            .await
    }

    /// How many elements are scheduled and not yet moved: those that are listed, or all for an
    /// [unlisted](crate::Ordering::Unlisted) handle.
    ///
    /// # Redis
    ///
    /// `LLEN` of the ordering list, as `RDelayedQueue.size()`; `ZCARD` of the timeout set for an
    /// unlisted handle. O(1).
    ///
    /// # Errors
    ///
    /// What keeps Redis from answering; nothing is changed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn len(&self) -> Result<usize> {
        self.core.len(self.ordering).await
    }

    /// Whether no element is scheduled; see [`len`](Self::len).
    ///
    /// # Errors
    ///
    /// As [`len`](Self::len).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn is_empty(&self) -> Result<bool> {
        Ok(self.len().await? == 0)
    }

    /// All elements that are not yet moved, in offer order; by due time for an
    /// [unlisted](crate::Ordering::Unlisted) handle.
    ///
    /// An element that is there throughout the call is in the result once. One that comes or goes
    /// meanwhile, or for an unlisted handle is rescheduled, may be in it or not.
    ///
    /// # Redis
    ///
    /// One `LRANGE` of the ordering list for up to 1,000 elements. An unlisted handle reads as
    /// [`iter`](Self::iter).
    ///
    /// # Compatibility
    ///
    /// As `RDelayedQueue.readAll()`, which reads everything in one script. An entry that is no
    /// packed member, on which that fails, is left out.
    ///
    /// # Errors
    ///
    /// - [`Error::Decode`](crate::Error::Decode) if the codec does not understand an element, which
    ///   stays in the queue.
    /// - What keeps Redis from answering; nothing is changed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn read_all(&self) -> Result<Vec<T>> {
        let payloads = self.core.read_all(self.ordering).await?;
        payloads.into_iter().map(|it| self.decode(it)).collect()
    }

    /// The element that was offered first, which need not be the next to become due. An
    /// [unlisted](crate::Ordering::Unlisted) handle shows the next to become due.
    ///
    /// # Redis
    ///
    /// `LRANGE 0 0` of the ordering list, as `RDelayedQueue.peek()`. O(1). An unlisted handle
    /// reads as [`peek_next_due`](Self::peek_next_due).
    ///
    /// # Errors
    ///
    /// As [`read_all`](Self::read_all).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn peek(&self) -> Result<Option<T>> {
        let payload = self.core.peek(self.ordering).await?;
        payload.map(|it| self.decode(it)).transpose()
    }

    /// All elements that are not yet moved, by due time.
    ///
    /// An element that is there throughout and keeps its due time is an item once, whatever is
    /// offered, moved and removed meanwhile. One that comes, goes or is rescheduled meanwhile may
    /// be missing; one that is rescheduled to later may come again, each time that it is. A loop
    /// that reschedules what it finds ends if the new times are behind an
    /// [`entries_between`](Self::entries_between). Elements that are due at the same millisecond
    /// come in the order in which they become takeable.
    ///
    /// An element that the codec does not understand is an [`Error::Decode`](crate::Error::Decode)
    /// and does not end the stream. Any other error is the last item.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/page.lua` for each 500 elements, or 256 KiB if that is fewer, when the
    /// stream gets there. O(log N) each.
    ///
    /// # Compatibility
    ///
    /// `RDelayedQueue.iterator()` goes in offer order, counts places in a list that moves, knows no
    /// due time, and fails on an entry that is no packed member, which is left out here. To remove
    /// an element that was found, [`cancel`](Self::cancel) its ticket.
    ///
    /// # Errors
    ///
    /// As items; nothing is changed by any.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use futures::StreamExt;
    ///
    /// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// let mut entries = queue.iter();
    /// while let Some(entry) = entries.next().await {
    ///     let entry = entry?;
    ///     if entry.value.starts_with("test ") {
    ///         queue.cancel(&entry.ticket).await?;
    ///     }
    /// }
    /// # Ok(()) }
    /// ```
    #[doc(alias = "iterator")]
    pub fn iter(&self) -> impl Stream<Item = Result<Entry<T>>> + Send + Unpin + use<T>
    where
        T: Send,
    {
        self.entries(Span::everything())
    }

    /// The elements with a due time in `range`, by due time.
    ///
    /// Otherwise as [`iter`](Self::iter); O(log N) more to find the first.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::time::{Duration, SystemTime};
    ///
    /// # fn run(queue: redisson_delayed_queue::DelayedQueue<String>) {
    /// let now = SystemTime::now();
    /// let of_the_next_hour = queue.entries_between(now..now + Duration::from_secs(3_600));
    /// # }
    /// ```
    pub fn entries_between<R: RangeBounds<SystemTime>>(
        &self,
        range: R,
    ) -> impl Stream<Item = Result<Entry<T>>> + Send + Unpin + use<T, R>
    where
        T: Send,
    {
        self.entries(Span::of(&range))
    }

    /// The element that becomes takeable next, with its due time.
    ///
    /// [`peek`](Self::peek) shows the one that was offered first.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/page.lua`, and one for each 500 entries before the element that are no
    /// packed members. O(log N).
    ///
    /// # Compatibility
    ///
    /// `RDelayedQueue` has no such call.
    ///
    /// # Errors
    ///
    /// As [`read_all`](Self::read_all).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn peek_next_due(&self) -> Result<Option<Entry<T>>> {
        let entry = self.core.first_entry().await?;
        entry.map(|it| self.decode_entry(it)).transpose()
    }

    /// When the next element becomes takeable; nothing if none is scheduled.
    ///
    /// A time that has passed means that the element is about to be moved. Otherwise as
    /// [`peek_next_due`](Self::peek_next_due), and the element need not be decodable.
    ///
    /// # Errors
    ///
    /// What keeps Redis from answering; nothing is changed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn next_due(&self) -> Result<Option<SystemTime>> {
        let entry = self.core.first_entry().await?;
        Ok(entry.map(|it| it.due))
    }

    fn entries(&self, span: Span) -> impl Stream<Item = Result<Entry<T>>> + Send + Unpin + use<T>
    where
        T: Send,
    {
        let queue = self.clone();
        let entries = Arc::clone(&self.core).entries(span);
        let decoded = entries.map(move |entry| entry.and_then(|it| queue.decode_entry(it)));
        // Boxed, so that callers need not pin it.
        Box::pin(decoded)
    }

    fn decode_entry(&self, entry: RawEntry) -> Result<Entry<T>> {
        Ok(Entry {
            due: entry.due,
            ticket: entry.ticket,
            value: self.decode(entry.payload)?,
        })
    }
}
