//! Scheduling elements of which one at most is to be pending.

use std::time::Duration;

use super::DelayedQueue;
use crate::error::Result;
use crate::placed::{IfPending, Placed};
use crate::wire::script::Key;

/// Scheduling elements of which one at most is to be pending.
impl<T: 'static> DelayedQueue<T> {
    /// Schedules `value` unless it is pending already, or gives the pending one another due time.
    ///
    /// It counts as pending from an [`offer_unique`](Self::offer_unique) of an equal value, by any
    /// Rust client, until it is moved to the target queue or removed. Equal means that the codec
    /// writes the same bytes. What [`offer`](Self::offer), [`offer_keyed`](Self::offer_keyed) or a
    /// Java client offered does not count; [`replace`](Self::replace) finds that. One that
    /// [`poll_undue`](Self::poll_undue) took in vain is put back even if an equal one was offered
    /// meanwhile, for neither may be lost.
    ///
    /// Redis remembers for 61 s what an offer did, so it is retried throughout the [retry
    /// window](crate::ClientBuilder::retry_window), whatever its delay, and answers as its first
    /// attempt would have.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/offer_keyed.lua`. A new value: `ZADD`, `RPUSH` unless the handle is
    /// [unlisted](crate::Ordering::Unlisted), and `PUBLISH` if it becomes the head. A pending one
    /// with [`IfPending::Replace`]: `ZADD XX`, and `PUBLISH` if it becomes the head or was the head
    /// and is due earlier. O(log N). Which member is pending stands in the hash `rdq1_keyed:{name}`
    /// until 61 s after it is due, or for a day at the most if it is removed before.
    ///
    /// # Compatibility
    ///
    /// Redisson has none. Java sees an ordinary element, and may remove or poll it; then it is
    /// pending no longer.
    ///
    /// # Errors
    ///
    /// As [`offer`](Self::offer). After [`Error::OutcomeUnknown`](crate::Error::OutcomeUnknown) a
    /// [`cancel`](Self::cancel) with its ticket removes the value if this call has offered it; an
    /// element that was pending before stays, and may have got the new due time.
    ///
    /// # Cancel safety
    ///
    /// Leaves the value stored or not.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use redisson_delayed_queue::{IfPending, Placed};
    ///
    /// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// // However often it is asked for: one refresh, a second after the first request.
    /// let (refresh, delay) = ("refresh".to_owned(), Duration::from_secs(1));
    /// if let Placed::Kept(_) = queue.offer_unique(&refresh, delay, IfPending::Keep).await? {
    ///     println!("it will be refreshed anyway");
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn offer_unique(
        &self,
        value: &T,
        delay: Duration,
        if_pending: IfPending,
    ) -> Result<Placed> {
        let payload = self.encode(value)?;
        self.core
            .offer_keyed(Key::Payload, &payload, delay, if_pending, self.ordering)
            .await
    }

    /// Schedules `value` under `key` unless an element is pending under that, or puts `value` in
    /// its place.
    ///
    /// An element is pending under a key from the offer under it, by any Rust client, until it is
    /// moved to the target queue or removed. The keys are those of this queue, any bytes, and
    /// others than the values of [`offer_unique`](Self::offer_unique). An element that is replaced
    /// by one with the same payload stays as it is, listed or not, and keeps its ticket; only its
    /// due time changes.
    ///
    /// # Redis
    ///
    /// As [`offer_unique`](Self::offer_unique). To replace an element by one with another payload:
    /// `ZREM`, `LREM`, `ZADD`, `RPUSH`, in one script. O(log N + D), with D as in
    /// [`cancel`](Self::cancel); O(log N) if the pending one is unlisted.
    ///
    /// # Compatibility
    ///
    /// As [`offer_unique`](Self::offer_unique): Java sees an ordinary element, and no key.
    ///
    /// # Errors
    ///
    /// As [`offer_unique`](Self::offer_unique).
    ///
    /// # Cancel safety
    ///
    /// Leaves the value stored or not; an element that it replaces is removed if it is stored.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use redisson_delayed_queue::IfPending;
    ///
    /// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// // One reminder an order, which says what was last known of it, an hour after that.
    /// let (reminder, delay) = ("order 17 has 3 items".to_owned(), Duration::from_secs(3_600));
    /// let placed = queue.offer_keyed("order 17", &reminder, delay, IfPending::Replace).await?;
    /// println!("{}", placed.ticket());
    /// # Ok(()) }
    /// ```
    pub async fn offer_keyed(
        &self,
        key: impl AsRef<[u8]>,
        value: &T,
        delay: Duration,
        if_pending: IfPending,
    ) -> Result<Placed> {
        let payload = self.encode(value)?;
        self.core
            .offer_keyed(
                Key::Chosen(key.as_ref()),
                &payload,
                delay,
                if_pending,
                self.ordering,
            )
            .await
    }

    /// Schedules `value`, and removes the oldest element that is not yet due and equals it, in one
    /// step.
    ///
    /// Whoever offered that, in whatever language. Several calls at once for a value that is
    /// pending once leave it pending once, if their handles have the same
    /// [`Ordering`](crate::Ordering). It is retried as [`offer_unique`](Self::offer_unique).
    ///
    /// An unlisted handle removes the one that such a call has scheduled last, if that is pending,
    /// else the one that is due first. It can miss one that is rescheduled at this moment.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/replace.lua` if at most 1,000 elements are scheduled. Otherwise also
    /// one of `lua/find.lua` for each 1,000, and another search, among what was appended meanwhile,
    /// if that was more than 1,000 elements; all over if another client took the element that was
    /// found. The last script does `ZREM`, `LREM` as in [`cancel`](Self::cancel), `ZADD`, `RPUSH`,
    /// and `PUBLISH` if the value becomes the head. [`offer_unique`](Self::offer_unique) needs no
    /// search.
    ///
    /// An unlisted handle: one `EVALSHA` of `lua/replace_due.lua`, which finds in the hash
    /// `rdq1_keyed:{name}` what such a call has scheduled last. O(log N) if that is pending.
    /// Otherwise also one of `lua/seek.lua` for each 1,000 elements, until one is found, and
    /// `lua/replace_due.lua` again.
    ///
    /// # Compatibility
    ///
    /// Leaves what `RDelayedQueue.remove(e)` and then `RDelayedQueue.offer(e, delay, unit)` leave
    /// where everything is listed. In Redisson an offer of another client can come in between, and
    /// then two are pending, and a process that ends in between loses the element. Against Java
    /// clients that do so this call is atomic, theirs is not.
    ///
    /// # Errors
    ///
    /// As [`offer`](Self::offer). After [`Error::OutcomeUnknown`](crate::Error::OutcomeUnknown)
    /// nothing was removed, or the value is scheduled; [`cancel`](Self::cancel) with its ticket
    /// removes that.
    ///
    /// # Cancel safety
    ///
    /// Leaves the value stored or not; an element that it replaces is removed if it is stored.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::time::Duration;
    ///
    /// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// // In Java: queue.remove("session 17"); queue.offer("session 17", 30, TimeUnit.MINUTES);
    /// queue.replace(&"session 17".to_owned(), Duration::from_secs(30 * 60)).await?;
    /// # Ok(()) }
    /// ```
    pub async fn replace(&self, value: &T, delay: Duration) -> Result<Placed> {
        let payload = self.encode(value)?;
        self.core.replace(&payload, delay, self.ordering).await
    }
}
