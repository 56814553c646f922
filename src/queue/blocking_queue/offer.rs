//! Adding elements.

use bytes::Bytes;

use super::BlockingQueue;
use crate::error::Result;
use crate::side::Side;

/// Adding elements.
impl<T: 'static> BlockingQueue<T> {
    /// Appends `value`, which can be taken at once.
    ///
    /// # Redis
    ///
    /// `RPUSH`. O(1).
    ///
    /// # Compatibility
    ///
    /// As `RBlockingQueue.offer(e)` and `add(e)`, and `RDeque.offerLast(e)` and `addLast(e)`.
    ///
    /// # Errors
    ///
    /// - [`Error::Encode`](crate::Error::Encode) if the codec refuses `value`,
    ///   [`Error::TooLarge`](crate::Error::TooLarge) if its payload exceeds
    ///   [`MAX_PAYLOAD`](crate::MAX_PAYLOAD); nothing was sent.
    /// - [`Error::Lost`](crate::Error::Lost) if the reply was lost; `value` may have been appended.
    ///   Nothing tells two equal payloads in this list apart, so it is not retried.
    /// - [`Error::Connect`](crate::Error::Connect), [`Error::Denied`](crate::Error::Denied),
    ///   [`Error::Refused`](crate::Error::Refused), [`Error::WrongType`](crate::Error::WrongType):
    ///   nothing was written.
    ///
    /// # Cancel safety
    ///
    /// Leaves the value stored or not.
    #[doc(alias = "add")]
    #[doc(alias = "addLast")]
    #[doc(alias = "offerLast")]
    pub async fn offer(&self, value: &T) -> Result<()> {
        self.core.target_offer(&self.encode(value)?).await
    }

    /// Appends `value`: the same as [`offer`](Self::offer). Java's `put` waits for room in bounded
    /// queues; this list has no bound.
    ///
    /// # Redis
    ///
    /// `RPUSH`. O(1).
    ///
    /// # Compatibility
    ///
    /// As `RBlockingQueue.put(e)`, `RBlockingDeque.putLast(e)` and `offer(e, timeout, unit)`, which
    /// never wait either.
    ///
    /// # Errors
    ///
    /// As [`offer`](Self::offer).
    ///
    /// # Cancel safety
    ///
    /// Leaves the value stored or not.
    #[doc(alias = "putLast")]
    pub async fn put(&self, value: &T) -> Result<()> {
        self.offer(value).await
    }

    /// Puts `value` in front of all others, so that it is taken next.
    ///
    /// # Redis
    ///
    /// `LPUSH`. O(1).
    ///
    /// # Compatibility
    ///
    /// As `RDeque.offerFirst(e)`, `addFirst(e)`, `push(e)` and `RBlockingDeque.putFirst(e)`.
    ///
    /// # Errors
    ///
    /// As [`offer`](Self::offer).
    ///
    /// # Cancel safety
    ///
    /// Leaves the value stored or not.
    #[doc(alias = "addFirst")]
    #[doc(alias = "push")]
    #[doc(alias = "putFirst")]
    pub async fn offer_first(&self, value: &T) -> Result<()> {
        let payload = self.encode(value)?;
        self.core.target_offer_all(Side::First, &[payload]).await?;
        Ok(())
    }

    /// Appends all values in their order; returns how many elements the list has then.
    ///
    /// Up to 1,000 values that have 256 KiB between them are added together: all or none of them,
    /// with nothing in between.
    ///
    /// # Redis
    ///
    /// One `RPUSH` for each 1,000 values or 256 KiB; `LLEN` if there are no values. O(M): M values.
    ///
    /// # Compatibility
    ///
    /// As `RDeque.addLast(e...)`, and as `RQueue.addAll(c)`, which returns whether there were
    /// values. Both send one command however many these are.
    ///
    /// # Errors
    ///
    /// - [`Error::Encode`](crate::Error::Encode) if the codec refuses one of `values`; nothing was
    ///   sent.
    /// - [`Error::Lost`](crate::Error::Lost) if the reply was lost; the values may have been added.
    ///   Nothing tells two equal payloads in this list apart, so it is not retried.
    /// - [`Error::Unfinished`](crate::Error::Unfinished) if this or another error came after some
    ///   values were added. It says how many.
    /// - [`Error::Connect`](crate::Error::Connect), [`Error::Denied`](crate::Error::Denied),
    ///   [`Error::Refused`](crate::Error::Refused), [`Error::WrongType`](crate::Error::WrongType):
    ///   nothing was written.
    ///
    /// # Cancel safety
    ///
    /// Leaves the values stored, or the first of them, or none.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn run(queue: redisson_delayed_queue::BlockingQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// let values = ["first".to_owned(), "second".to_owned()];
    /// queue.add_all(&values).await?;
    /// # Ok(()) }
    /// ```
    #[doc(alias = "addLast")]
    #[doc(alias = "offer_all")]
    pub async fn add_all<'a>(&self, values: impl IntoIterator<Item = &'a T>) -> Result<usize> {
        let payloads = self.encode_all(values)?;
        self.core.target_offer_all(Side::Last, &payloads).await
    }

    /// Puts one value after the other in front of all others, so that the last of them is taken
    /// next; returns how many elements the list has then.
    ///
    /// # Redis
    ///
    /// As [`add_all`](Self::add_all), with `LPUSH`.
    ///
    /// # Compatibility
    ///
    /// As `RDeque.addFirst(e...)`.
    ///
    /// # Errors
    ///
    /// As [`add_all`](Self::add_all).
    ///
    /// # Cancel safety
    ///
    /// Leaves the values stored, or the first of them, or none.
    #[doc(alias = "addFirst")]
    pub async fn add_all_first<'a>(
        &self,
        values: impl IntoIterator<Item = &'a T>,
    ) -> Result<usize> {
        let payloads = self.encode_all(values)?;
        self.core.target_offer_all(Side::First, &payloads).await
    }

    /// As [`add_all_first`](Self::add_all_first) if the list has elements; otherwise nothing is
    /// added and the result is 0.
    ///
    /// # Redis
    ///
    /// One `LPUSHX`, however many values there are, so that all or none are added; `LLEN` if there
    /// are none. O(M): M values.
    ///
    /// # Compatibility
    ///
    /// As `RDeque.addFirstIfExists(e...)`.
    ///
    /// # Errors
    ///
    /// As [`add_all`](Self::add_all), but never
    /// [`Error::Unfinished`](crate::Error::Unfinished).
    ///
    /// # Cancel safety
    ///
    /// Leaves the values stored or not.
    pub async fn add_first_if_exists<'a>(
        &self,
        values: impl IntoIterator<Item = &'a T>,
    ) -> Result<usize> {
        let payloads = self.encode_all(values)?;
        self.core
            .target_offer_if_exists(Side::First, &payloads)
            .await
    }

    /// As [`add_all`](Self::add_all) if the list has elements; otherwise nothing is added and the
    /// result is 0.
    ///
    /// # Redis
    ///
    /// One `RPUSHX`, however many values there are, so that all or none are added; `LLEN` if there
    /// are none. O(M): M values.
    ///
    /// # Compatibility
    ///
    /// As `RDeque.addLastIfExists(e...)`.
    ///
    /// # Errors
    ///
    /// As [`add_all`](Self::add_all), but never
    /// [`Error::Unfinished`](crate::Error::Unfinished).
    ///
    /// # Cancel safety
    ///
    /// Leaves the values stored or not.
    pub async fn add_last_if_exists<'a>(
        &self,
        values: impl IntoIterator<Item = &'a T>,
    ) -> Result<usize> {
        let payloads = self.encode_all(values)?;
        self.core
            .target_offer_if_exists(Side::Last, &payloads)
            .await
    }

    pub(super) fn encode_all<'a>(
        &self,
        values: impl IntoIterator<Item = &'a T>,
    ) -> Result<Vec<Bytes>> {
        values.into_iter().map(|value| self.encode(value)).collect()
    }
}
