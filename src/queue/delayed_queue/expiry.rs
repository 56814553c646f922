use super::DelayedQueue;
use crate::error::Result;

/// Counting elements that expired.
impl<T: 'static> DelayedQueue<T> {
    /// How many elements of this queue have [expired](crate::Offer::expires_at), whichever Rust
    /// client dropped them.
    ///
    /// The count starts over 7 days after the last of them, and when the queue is
    /// [deleted](crate::QueueObject::delete). An expired element that another offer removes before
    /// it is dropped does not count.
    ///
    /// # Redis
    ///
    /// `HGET` of the field `expired` of the hash `rdq1_counts:{name}`, and one of `rdq1_state:{name}`,
    /// where earlier versions of this crate count. O(1).
    pub async fn expired(&self) -> Result<u64> {
        self.core.expired().await
    }
}
