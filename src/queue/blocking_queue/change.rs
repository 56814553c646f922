//! Removing elements, and moving them to another list.

use std::ops::RangeBounds;

use super::BlockingQueue;
use crate::error::Result;
use crate::queue::raw::Places;
use crate::side::Side;

/// Removing elements, and moving them to another list.
impl<T: 'static> BlockingQueue<T> {
    /// Removes the first element that equals `value`; false if there is none.
    ///
    /// # Redis
    ///
    /// `LREM 1`, which searches from the front. O(N): some 30 ms for a million elements of 68 bytes.
    ///
    /// # Compatibility
    ///
    /// As `RQueue.remove(o)` and `RDeque.removeFirstOccurrence(o)`.
    ///
    /// # Errors
    ///
    /// - [`Error::Encode`](crate::Error::Encode) if the codec refuses `value`,
    ///   [`Error::TooLarge`](crate::Error::TooLarge) if its payload exceeds
    ///   [`MAX_PAYLOAD`](crate::MAX_PAYLOAD); nothing was sent.
    /// - [`Error::Lost`](crate::Error::Lost) if the reply was lost; the element may have been
    ///   removed. Calling again may remove another one.
    /// - [`Error::Connect`](crate::Error::Connect), [`Error::Denied`](crate::Error::Denied),
    ///   [`Error::Refused`](crate::Error::Refused), [`Error::WrongType`](crate::Error::WrongType):
    ///   nothing was removed.
    ///
    /// # Cancel safety
    ///
    /// Leaves the element removed or not.
    #[doc(alias = "removeFirstOccurrence")]
    pub async fn remove(&self, value: &T) -> Result<bool> {
        Ok(self.remove_up_to(value, 1).await? > 0)
    }

    /// Removes the first elements that equal `value`, up to `count`; returns how many it removed.
    ///
    /// # Redis
    ///
    /// `LREM`, which searches from the front. If `count` is 0, nothing is sent. O(N).
    ///
    /// # Compatibility
    ///
    /// As `RList.remove(o, count)` on the same key.
    ///
    /// # Errors
    ///
    /// As [`remove`](Self::remove). After [`Error::Lost`](crate::Error::Lost), calling again may
    /// remove as many more.
    ///
    /// # Cancel safety
    ///
    /// Leaves the elements removed or not.
    pub async fn remove_up_to(&self, value: &T, count: usize) -> Result<usize> {
        let payload = self.encode(value)?;
        self.core.target_remove(&payload, count, Side::First).await
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
        let removed = self.core.target_remove(&payload, 1, Side::Last).await?;
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
    /// Leaves the same list as `RQueue.removeAll(c)`, which sends one script. That returns false if
    /// none of `values` was there exactly once, although it removes the elements.
    ///
    /// # Errors
    ///
    /// - As [`remove`](Self::remove), but calling again removes only more of `values`.
    /// - [`Error::Unfinished`](crate::Error::Unfinished) if one of these came after some elements
    ///   were removed. It says how many.
    ///
    /// # Cancel safety
    ///
    /// Leaves the elements removed, or those that equal the first of `values`, or none.
    pub async fn remove_all(&self, values: &[T]) -> Result<usize> {
        let payloads = self.encode_all(values)?;
        self.core.target_remove_all(&payloads).await
    }

    /// Removes every element that equals none of `values`; returns how many. With no `values` it
    /// removes all.
    ///
    /// Elements that stay are in the list all the time. The call may or may not look at an element
    /// that comes or moves meanwhile. Elements that are appended meanwhile stay.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/retain.lua` for each 1,000 elements or 200 removals, from the last
    /// element on, with all of `values` each time. At most 20 ms each, in the middle of a million
    /// elements of 68 bytes.
    ///
    /// # Compatibility
    ///
    /// Leaves the same list as `RQueue.retainAll(c)`. That sends one script, whose time grows with
    /// the square of the number of elements, and returns whether it removed one.
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

    /// Removes all elements except those in the places of `range`.
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
    /// - Any error of Redis or the connection; nothing was removed.
    ///
    /// # Cancel safety
    ///
    /// Leaves the list trimmed or not.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn run(queue: redisson_delayed_queue::BlockingQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// // Keep the thousand oldest elements.
    /// queue.trim(..1_000).await?;
    /// # Ok(()) }
    /// ```
    pub async fn trim(&self, range: impl RangeBounds<usize>) -> Result<()> {
        self.core.target_trim(Places::new(range)).await
    }

    /// Removes all elements.
    ///
    /// If a Rust process has claimed an element and hands it to no caller, the element comes back
    /// afterwards. Pending elements stay: [`Pending::clear`](crate::Pending::clear) removes them.
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
    /// - Any error of Redis or the connection; nothing was removed.
    ///
    /// # Cancel safety
    ///
    /// Leaves the list cleared or not.
    pub async fn clear(&self) -> Result<()> {
        self.core.target_clear().await
    }

    /// Moves up to `count` elements to the list `name`, one after the other, each from the side
    /// `from` to the side `to`; returns how many it moved.
    ///
    /// Elements that go to the other side keep their order; elements that go to the same side end
    /// up in reverse. With this list's own name the elements rotate, none of them twice. `name` is
    /// the target queue of that name. It need not be open: whoever takes from it, in any language,
    /// gets the elements.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/move.lua` for each 1,000 elements. Each script is atomic, and pops and
    /// pushes one element after the other. An element of more than 1 MiB takes two scripts; the
    /// second gets one more second for each 4 MiB. O(M): M moved. In a cluster both lists must have
    /// the same hash tag, and the user needs the right to both keys.
    ///
    /// # Compatibility
    ///
    /// As `RDeque.move(DequeMoveArgs)`, which moves one by `LMOVE`, and as
    /// `RQueue.move(QueueMoveElementsArgs)` of Redisson 4.7.0 with `count`, which needs Redis 8.10.
    /// Both return the elements. A [name mapper](crate::NameMapper) applies to `name`. `RDeque.move`
    /// does not map it, so give Java the mapped name.
    ///
    /// # Errors
    ///
    /// - [`Error::Name`](crate::Error::Name) if `name` is empty; nothing was sent.
    /// - [`Error::Lost`](crate::Error::Lost) if the reply was lost; the elements may have been
    ///   moved. Each is in one of the lists.
    /// - [`Error::Unfinished`](crate::Error::Unfinished) if this or another error came after some
    ///   elements were moved. It says how many.
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
    /// use redisson_delayed_queue::Side;
    ///
    /// # async fn run(queue: redisson_delayed_queue::BlockingQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// let moved = queue.move_to("overflow", Side::First, Side::Last, 100).await?;
    /// # Ok(()) }
    /// ```
    #[doc(alias = "move")]
    pub async fn move_to(&self, name: &str, from: Side, to: Side, count: usize) -> Result<usize> {
        let other = self.core.partner(name)?;
        self.core.target_move(&other, from, to, count).await
    }
}
