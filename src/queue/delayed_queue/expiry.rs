//! Scheduling elements that are of no use after some time.

use std::time::{Duration, SystemTime};

use super::DelayedQueue;
use crate::error::Result;
use crate::ticket::Ticket;

/// Scheduling elements that are of no use after some time.
impl<T: 'static> DelayedQueue<T> {
    /// Schedules `value` to become takeable after `delay`, unless that comes to be later than
    /// `expires_at`.
    ///
    /// An element that is due and was not moved to the target queue by `expires_at`, because nobody
    /// was there to move it, is not delivered: it is removed, [counted](Self::expired), and
    /// reported as [`Event::Expired`](crate::Event::Expired). `expires_at` is taken down to a
    /// millisecond and compared with the clock that dates the elements of the client that moves
    /// them: Redis's, unless [`Clock::Local`](crate::Clock::Local) was chosen.
    ///
    /// It is best effort. A Java client that moves the element first delivers it however late it
    /// is, and what is in the target queue waits there for a taker as long as it takes. Elements
    /// that were offered in any other way never expire; of those of the same due millisecond they
    /// come first.
    ///
    /// # Redis
    ///
    /// As [`offer`](Self::offer). The time is in the element's id, which has 25
    /// bytes, or 26 if it is [unlisted](crate::Ordering::Unlisted).
    ///
    /// # Compatibility
    ///
    /// Redisson has none; RReliableQueue PRO has a time to live. Java reads the element as any
    /// other (checked with 3.21.1 to 4.7.0 by `interop/tests`).
    ///
    /// # Errors
    ///
    /// As [`offer`](Self::offer), and [`Error::ExpiresBeforeDue`](crate::Error::ExpiresBeforeDue)
    /// if `expires_at` comes before the due time; nothing was written.
    ///
    /// # Cancel safety
    ///
    /// Leaves the value stored or not.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::time::{Duration, SystemTime};
    ///
    /// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// // In ten minutes, and not when the meeting has begun.
    /// let (delay, begins) = (Duration::from_secs(600), SystemTime::now() + Duration::from_secs(900));
    /// queue.offer_expiring(&"the meeting begins soon".to_owned(), delay, begins).await?;
    /// # Ok(()) }
    /// ```
    pub async fn offer_expiring(
        &self,
        value: &T,
        delay: Duration,
        expires_at: SystemTime,
    ) -> Result<Ticket> {
        let payload = self.encode(value)?;
        self.core
            .offer_expiring(&payload, delay, expires_at, self.ordering)
            .await
    }

    /// How many elements of this queue have expired, whichever Rust client removed them.
    ///
    /// The count begins anew 7 days after the last of them, and when the queue is
    /// [deleted](Self::delete).
    ///
    /// # Redis
    ///
    /// `HGET` of the field `expired` of the hash `rdq1_counts:{name}`, and one of `rdq1_state:{name}`,
    /// where earlier versions of this crate count. O(1).
    ///
    /// # Errors
    ///
    /// What keeps Redis from answering; nothing is changed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn expired(&self) -> Result<u64> {
        self.core.expired().await
    }
}
