use std::ops::RangeBounds;

use super::BlockingQueue;
use crate::error::Result;
use crate::queue::raw::Places;
use crate::side::Side;

/// Removing elements, and moving them to another list.
impl<T: 'static> BlockingQueue<T> {
    /// Removes the first element that equals `value`; false if there is none.
    #[doc(alias = "removeFirstOccurrence")]
    pub async fn remove(&self, value: &T) -> Result<bool> {
        Ok(self.remove_up_to(value, 1).await? > 0)
    }

    /// Removes the first elements that equal `value`, up to `count`; returns how many it removed.
    ///
    /// Sends nothing if `count` is 0.
    pub async fn remove_up_to(&self, value: &T, count: usize) -> Result<usize> {
        let payload = self.core.encode(value)?;
        self.core.target_remove(&payload, count, Side::First).await
    }

    /// Removes the last element that equals `value`; false if there is none.
    pub async fn remove_last_occurrence(&self, value: &T) -> Result<bool> {
        let payload = self.core.encode(value)?;
        let removed = self.core.target_remove(&payload, 1, Side::Last).await?;
        Ok(removed > 0)
    }

    /// Removes every element that equals one of `values`; returns how many.
    ///
    /// Calling again after an error is safe: it removes only more of `values`.
    pub async fn remove_all(&self, values: &[T]) -> Result<usize> {
        let payloads: Vec<_> = self.core.encode_all(values)?;
        self.core.target_remove_all(&payloads).await
    }

    /// Removes every element that equals none of `values`; returns how many. With no `values` it
    /// removes all.
    ///
    /// Elements that stay are in the list all the time. The call may or may not look at an element
    /// that comes or moves meanwhile. Elements that are appended meanwhile stay. Calling again
    /// after an error is safe.
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
    pub async fn retain_all(&self, values: &[T]) -> Result<usize> {
        let payloads: Vec<_> = self.core.encode_all(values)?;
        self.core.target_retain(&payloads).await
    }

    /// Removes all elements except those in the places of `range`; Java's `trim(from, to)` includes
    /// `to`.
    pub async fn trim(&self, range: impl RangeBounds<usize>) -> Result<()> {
        self.core.target_trim(Places::new(range)).await
    }

    /// Removes all elements, and as in Redisson also a key of another type.
    ///
    /// If a Rust process has claimed an element and hands it to no caller, the element comes back
    /// afterwards. Pending elements stay: [`Pending::clear`](crate::Pending::clear) removes them.
    /// The client repeats this call for the whole [retry
    /// window](crate::ClientBuilder::retry_window), and calling it again is safe.
    pub async fn clear(&self) -> Result<()> {
        self.core.target_clear().await
    }

    /// Moves up to `count` elements to the list `name`, one after the other, each from the side
    /// `from` to the side `to`; returns how many it moved.
    ///
    /// Elements that go to the other side keep their order; elements that go to the same side end
    /// up in reverse. With this list's own name the elements rotate, none of them twice. `name` is
    /// the target queue of that name. It need not be open: whoever takes from it, in any language,
    /// gets the elements. Each element is in one of the lists at every moment.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/move.lua` for each 1,000 elements. Each script is atomic, and pops and
    /// pushes one element after the other. An element of more than 1 MiB takes two scripts; the
    /// second gets one more second for each 4 MiB. O(M): M moved.
    ///
    /// # Compatibility
    ///
    /// As `RDeque.move(DequeMoveArgs)`, which moves one by `LMOVE`, and as
    /// `RQueue.move(QueueMoveElementsArgs)` of Redisson 4.7.0 with `count`, which needs Redis 8.10.
    /// Both return the elements.
    #[doc(alias = "move")]
    pub async fn move_to(&self, name: &str, from: Side, to: Side, count: usize) -> Result<usize> {
        let other = self.core.partner(name)?;
        self.core.target_move(&other, from, to, count).await
    }
}
