//! Removing elements, and moving them to another list.

use std::ops::RangeBounds;

use super::BlockingQueue;
use crate::end::End;
use crate::error::Result;
use crate::queue::raw::Places;
use crate::wire::keys::QueueKeys;

/// Removing elements, and moving them to another list.
impl<T: 'static> BlockingQueue<T> {
    /// Removes the first `count` elements that equal `value`, or all of them if they are fewer;
    /// returns how many.
    ///
    /// # Redis
    ///
    /// `LREM`, which searches from the front; nothing if `count` is 0. O(N): some 30 ms for a
    /// million elements of 68 bytes.
    ///
    /// # Compatibility
    ///
    /// With a count of 1 as `RQueue.remove(o)` and `RDeque.removeFirstOccurrence(o)`, with any
    /// other as `RList.remove(o, count)` on the same key.
    ///
    /// # Errors
    ///
    /// - [`Error::Encode`](crate::Error::Encode) if the codec refuses `value`,
    ///   [`Error::TooLarge`](crate::Error::TooLarge) if its payload exceeds
    ///   [`MAX_PAYLOAD`](crate::MAX_PAYLOAD); nothing was sent.
    /// - [`Error::Lost`](crate::Error::Lost) if the reply was lost; the elements may have been
    ///   removed. Calling again may remove as many more.
    /// - [`Error::Connect`](crate::Error::Connect), [`Error::Denied`](crate::Error::Denied),
    ///   [`Error::Refused`](crate::Error::Refused), [`Error::WrongType`](crate::Error::WrongType):
    ///   nothing was removed.
    ///
    /// # Cancel safety
    ///
    /// Leaves the elements removed or not.
    #[doc(alias = "removeFirstOccurrence")]
    pub async fn remove(&self, value: &T, count: usize) -> Result<usize> {
        let payload = self.encode(value)?;
        self.core.target_remove(&payload, count, End::First).await
    }

    /// Removes the last element that equals `value`; false if there is none.
    ///
    /// # Redis
    ///
    /// `LREM -1`, which searches from the end. O(N).
    ///
    /// # Compatibility
    ///
    /// As `RDeque.removeLastOccurrence(o)`.
    ///
    /// # Errors
    ///
    /// As [`remove`](Self::remove).
    ///
    /// # Cancel safety
    ///
    /// Leaves the element removed or not.
    pub async fn remove_last_occurrence(&self, value: &T) -> Result<bool> {
        let payload = self.encode(value)?;
        let removed = self.core.target_remove(&payload, 1, End::Last).await?;
        Ok(removed > 0)
    }

    /// Removes every element that equals one of `values`; returns how many.
    ///
    /// # Redis
    ///
    /// One `LREM 0` for each value that differs from those before it. O(N) each.
    ///
    /// # Compatibility
    ///
    /// Leaves the same as `RQueue.removeAll(c)`, which does it in one script, and returns false if
    /// none of `values` was there exactly once, although the elements are removed.
    ///
    /// # Errors
    ///
    /// - As [`remove`](Self::remove), but calling again does no harm to what is not among `values`.
    /// - [`Error::Unfinished`](crate::Error::Unfinished) if one of these came after so many
    ///   elements had been removed.
    ///
    /// # Cancel safety
    ///
    /// Leaves the elements removed, or those that equal the first of `values`, or none.
    pub async fn remove_all(&self, values: &[T]) -> Result<usize> {
        let payloads = self.encode_all(values)?;
        self.core.target_remove_all(&payloads).await
    }

    /// Removes every element that equals none of `values`; returns how many. With no values it
    /// removes all.
    ///
    /// The elements that stay are never out of the list. An element that comes or moves meanwhile
    /// may be looked at or not: one that is appended stays.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/retain.lua` for each 1,000 elements or 200 removals, from the last
    /// element on, with all of `values` each time. At most 20 ms each, in the middle of a million
    /// elements of 68 bytes.
    ///
    /// # Compatibility
    ///
    /// Leaves the same as `RQueue.retainAll(c)`, which does it in one script that takes a time
    /// quadratic in the number of elements, and returns whether one was removed.
    ///
    /// # Errors
    ///
    /// As [`remove_all`](Self::remove_all).
    ///
    /// # Cancel safety
    ///
    /// Leaves the elements removed, or the last of them, or none.
    pub async fn retain_all(&self, values: &[T]) -> Result<usize> {
        let payloads = self.encode_all(values)?;
        self.core.target_retain(&payloads).await
    }

    /// Removes all elements but those in the places of `range`: all of them, if it has none.
    ///
    /// # Redis
    ///
    /// `LTRIM`. O(R): R elements are removed.
    ///
    /// # Compatibility
    ///
    /// As `RList.trim(from, to)` on the same key, which includes `to`.
    ///
    /// # Errors
    ///
    /// - [`Error::Lost`](crate::Error::Lost) if the reply was lost; the list may have been trimmed.
    ///   Calling again may remove as many more from the front.
    /// - What keeps Redis from answering; nothing was removed.
    ///
    /// # Cancel safety
    ///
    /// Leaves the list trimmed or not.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn run(queue: redisson_delayed_queue::BlockingQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// // At most a thousand are to wait, and the oldest count most.
    /// queue.trim(..1_000).await?;
    /// # Ok(()) }
    /// ```
    pub async fn trim(&self, range: impl RangeBounds<usize>) -> Result<()> {
        self.core.target_trim(Places::new(range)).await
    }

    /// Removes all elements.
    ///
    /// What a Rust process has claimed and not handed over comes back if it is not handed over
    /// after all. What is not yet due stays: see
    /// [`DelayedQueue::clear`](crate::DelayedQueue::clear).
    ///
    /// # Redis
    ///
    /// `DEL`, as `RQueue.clear()`. O(N).
    ///
    /// # Compatibility
    ///
    /// As in Redisson, a key of another type is deleted, too.
    ///
    /// # Errors
    ///
    /// - [`Error::Lost`](crate::Error::Lost) if the reply was lost throughout the retry window;
    ///   calling again is safe.
    /// - What keeps Redis from answering; nothing was removed.
    ///
    /// # Cancel safety
    ///
    /// Leaves the list cleared or not.
    pub async fn clear(&self) -> Result<()> {
        self.core.target_clear().await
    }

    /// Moves up to `count` elements to the list `name`, one after the other, each from the end
    /// `from` to the end `to`; returns how many there were to move.
    ///
    /// From an end to the other they keep their order, and from an end to the same end they come to
    /// lie in reverse. With the name of this list the elements go round, none of them twice.
    /// `name` is what a queue of that name delivers to; it need not have been opened, and whoever
    /// takes from it, in whatever language, gets the elements.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/move.lua` for each 1,000 elements, each of which is one step to all
    /// others: a pop and a push for each element. Two for an element of more than 1 MiB, of which the
    /// second has a second more for each 4 MiB. O(M): M moved. In a cluster both lists must have the
    /// same hash tag, and the user needs the right to both keys.
    ///
    /// # Compatibility
    ///
    /// As `RDeque.move(DequeMoveArgs)`, which moves one by `LMOVE`, and as
    /// `RQueue.move(QueueMoveElementsArgs)` of Redisson 4.7.0 with `count`, which needs Redis 8.10.
    /// Both return the elements. As in Redisson `name` is the key, which no name mapper changes.
    ///
    /// # Errors
    ///
    /// - [`Error::Name`](crate::Error::Name) if `name` is empty; nothing was sent.
    /// - [`Error::Lost`](crate::Error::Lost) if the reply was lost; the elements may have been
    ///   moved. Each is in one of the lists.
    /// - [`Error::Unfinished`](crate::Error::Unfinished) if that, or another failure, came after so
    ///   many elements had been moved.
    /// - [`Error::Connect`](crate::Error::Connect), [`Error::Denied`](crate::Error::Denied),
    ///   [`Error::Refused`](crate::Error::Refused), [`Error::WrongType`](crate::Error::WrongType):
    ///   nothing was moved.
    ///
    /// # Cancel safety
    ///
    /// Leaves the elements moved, or the first of them, or none.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use redisson_delayed_queue::End;
    ///
    /// # async fn run(queue: redisson_delayed_queue::BlockingQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// let moved = queue.move_to("overflow", End::First, End::Last, 100).await?;
    /// # Ok(()) }
    /// ```
    #[doc(alias = "move")]
    pub async fn move_to(&self, name: &str, from: End, to: End, count: usize) -> Result<usize> {
        let other = QueueKeys::new(name)?;
        self.core.target_move(&other, from, to, count).await
    }
}
