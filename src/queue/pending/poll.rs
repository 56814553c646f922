use std::time::Duration;

use tokio::time::Instant;

use super::Pending;
use crate::error::Result;
use crate::queue::raw::Withdrawal;

/// Taking pending elements before they are due.
impl<T: 'static> Pending<T> {
    /// Takes the pending element that was offered first, before it is due; `None` if no element is
    /// pending. An [unlisted](crate::Listing::Unlisted) handle takes the one that is due first.
    ///
    /// To take a due element, use [`DelayedQueue::take`](crate::DelayedQueue::take),
    /// [`poll`](crate::DelayedQueue::poll) or [`try_take`](crate::DelayedQueue::try_take).
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/oldest.lua`, which reads the element, and one of `lua/withdraw.lua`,
    /// which takes it out. O(log N). An unlisted handle reads with `lua/page.lua`. If the element
    /// it takes is listed, that is O(log N + P): P entries come before it in the ordering list.
    ///
    /// # Compatibility
    ///
    /// Competes with Java's `poll()`, and each element goes to one caller. Like Java, this call
    /// takes an entry that stands in the ordering list alone.
    ///
    /// # Errors
    ///
    /// After any error nothing is taken. If an attempt took an element, the client puts it back as
    /// soon as Redis answers.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing was taken if dropped. If an attempt took an element meanwhile, the client
    /// puts it back with its old due time, and first in offer order if it was listed. The element is
    /// lost only if the process is killed at that moment, or cut off from Redis for a minute, if
    /// Redis's clock jumps ahead by as much, or if nobody polls the future for a minute and it is
    /// dropped then.
    ///
    /// The element goes back to the name that the queue had, even after a [`clear`](Self::clear), a
    /// [`delete`](crate::QueueObject::delete) or a [`rename`](crate::QueueObject::rename). A call
    /// that reads the offer order in pages at that moment, such as [`remove`](Self::remove), can miss
    /// other elements.
    pub async fn poll(&self) -> Result<Option<T>> {
        Ok(self.poll_many(1).await?.pop())
    }

    /// Takes up to `limit` pending elements before they are due, in offer order. An
    /// [unlisted](crate::Listing::Unlisted) handle takes them by due time.
    ///
    /// Works like [`poll`](Self::poll), for each 250 elements, or 256 KiB if that is fewer. If it
    /// returns fewer than `limit`, no more were pending, half a minute has passed, or the next one
    /// cannot be taken; the next call says why. An error means that the first element cannot be
    /// taken.
    pub async fn poll_many(&self, limit: usize) -> Result<Vec<T>> {
        let mut values = Vec::new();
        // Dropped before the end, they put everything back.
        let mut withdrawals = Vec::new();
        let began = Instant::now();
        while values.len() < limit && began.elapsed() < MOST_TIME {
            match self.poll_once(limit - values.len(), &mut values).await {
                Ok(Some(withdrawal)) => withdrawals.push(withdrawal),
                Ok(None) => break,
                Err(error) if values.is_empty() => return Err(error),
                Err(_) => break,
            }
        }
        for withdrawal in withdrawals {
            withdrawal.keep();
        }
        Ok(values)
    }

    /// Takes the elements of one script, and adds them to `values`; `None` if no element is
    /// pending.
    async fn poll_once(&self, limit: usize, values: &mut Vec<T>) -> Result<Option<Withdrawal>> {
        let mut first = self.core.first_pending(limit, self.listing).await?;
        let decoded = first.iter().map(|it| self.core.decode(it.payload.clone()));
        let (mut readable, mut unreadable) = (Vec::new(), None);
        for value in decoded {
            match value {
                Ok(value) => readable.push(value),
                Err(error) => {
                    unreadable = Some(error);
                    break;
                }
            }
        }
        first.truncate(readable.len());
        if first.is_empty() {
            return unreadable.map_or(Ok(None), Err);
        }
        let withdrawal = self.core.withdraw(first).await?;
        let taken = readable.into_iter().enumerate();
        let taken = taken.filter(|(place, _)| withdrawal.took(*place));
        values.extend(taken.map(|(_, value)| value));
        Ok(Some(withdrawal))
    }

    /// Moves the pending element that was offered last to the front of the list `name`, before it
    /// is due, and returns it; `None` if no element is pending. An
    /// [unlisted](crate::Listing::Unlisted) handle moves the one that is due last.
    ///
    /// `name` is a list of payloads, such as the target queue of another delayed queue. There the
    /// element can be taken at once.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/poll_last.lua`: `ZREM`, `LREM` and `LPUSH`. O(log N). If an unlisted
    /// handle moves a listed element, as [`cancel`](crate::DelayedQueue::cancel). An element of
    /// more than 1 MiB takes two scripts; the second gets one more second for each 4 MiB.
    ///
    /// # Errors
    ///
    /// - [`Error::Decode`](crate::Error::Decode) if the codec does not understand the element: it
    ///   was moved.
    /// - [`Error::Lost`](crate::Error::Lost) if the reply was lost; the client does not repeat the
    ///   call. The element is in one of the two places; calling again could move another one.
    pub async fn poll_last_and_offer_first_to(&self, name: &str) -> Result<Option<T>> {
        let destination = self.core.partner(name)?;
        let payload = self
            .core
            .poll_last(destination.target(), self.listing)
            .await?;
        payload.map(|it| self.core.decode(it)).transpose()
    }
}

/// How long to take elements out in one call. Redis knows for twice as long what the call took, and can
/// put it back.
const MOST_TIME: Duration = Duration::from_secs(30);
