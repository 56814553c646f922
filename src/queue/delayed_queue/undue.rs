//! Taking what is not yet due.

use super::DelayedQueue;
use crate::error::Result;
use crate::queue::raw::Withdrawal;
use crate::wire::keys::QueueKeys;

/// Taking what is not yet due.
impl<T: 'static> DelayedQueue<T> {
    /// Takes the element that was offered first, although it is not yet due; nothing if none is
    /// scheduled. An [unlisted](crate::Ordering::Unlisted) handle takes the one that is due first.
    ///
    /// To take what is due, use [`take`](Self::take) or [`try_take`](Self::try_take).
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/oldest.lua`, which reads the element, and one of `lua/withdraw.lua`,
    /// which takes it out. O(log N). The id and the call are in `rdq1_settled:{name}` for 61 s. An
    /// unlisted handle reads with `lua/page.lua`, and for a listed element it is O(log N + P): P
    /// entries come before it in the ordering list.
    ///
    /// # Compatibility
    ///
    /// As `RDelayedQueue.poll()`, which is the call for what is due in every other queue of Java:
    /// here it has a name of its own. It competes with Java's, and each element goes to one caller.
    /// An entry that is no packed member stays where it is, where Java loses it and fails. An entry
    /// that stands in the ordering list alone is taken, as Java does.
    ///
    /// # Errors
    ///
    /// - [`Error::Decode`](crate::Error::Decode) if the codec does not understand the element,
    ///   which stays.
    /// - [`Error::Lost`](crate::Error::Lost) if no reply came within the [retry
    ///   window](crate::ClientBuilder::retry_window).
    /// - What keeps Redis from answering.
    ///
    /// After any of them nothing is taken: what an attempt took is put back as soon as Redis
    /// answers.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing was taken if dropped. An element that was taken meanwhile is put back
    /// where it was, first in offer order if it was listed and due when it was. Only a process that
    /// is killed, or cut off from Redis for a minute, at that moment takes the element with it. What
    /// is put back comes to the name that the queue had, also after a [`clear`](Self::clear), a
    /// [`delete`](Self::delete) or a [`rename`](Self::rename), and a call that reads the offer order
    /// in pages just then, such as [`remove`](Self::remove), can miss other elements.
    pub async fn poll_undue(&self) -> Result<Option<T>> {
        Ok(self.poll_undue_many(1).await?.pop())
    }

    /// Takes up to `limit` elements that are not yet due, those that were offered first.
    ///
    /// They come in offer order. Fewer than `limit` means that no more were scheduled, or that the
    /// next cannot be taken; the next call says why. An [unlisted](crate::Ordering::Unlisted)
    /// handle takes those that are due first, by due time.
    ///
    /// # Redis
    ///
    /// As [`poll_undue`](Self::poll_undue), for each 250 elements, or 256 KiB if that is fewer.
    ///
    /// # Compatibility
    ///
    /// As `RDelayedQueue.poll(limit)`, which takes all in one script however long that blocks
    /// Redis.
    ///
    /// # Errors
    ///
    /// As [`poll_undue`](Self::poll_undue), about the first element. An error about a later one
    /// ends the batch before it.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing was taken if dropped; as [`poll_undue`](Self::poll_undue).
    pub async fn poll_undue_many(&self, limit: usize) -> Result<Vec<T>> {
        let mut values = Vec::new();
        // Dropped before the end, they put everything back.
        let mut withdrawals = Vec::new();
        while values.len() < limit {
            match self
                .poll_undue_once(limit - values.len(), &mut values)
                .await
            {
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

    /// Takes what one script does, and adds it to `values`; nothing if no element is scheduled.
    async fn poll_undue_once(
        &self,
        limit: usize,
        values: &mut Vec<T>,
    ) -> Result<Option<Withdrawal>> {
        let mut first = self.core.first_undue(limit, self.ordering).await?;
        let decoded = first.iter().map(|it| self.decode(it.payload.clone()));
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

    /// Moves the element that was offered last, although it is not yet due, to the front of the
    /// list `name`, and returns it; nothing if none is scheduled. An
    /// [unlisted](crate::Ordering::Unlisted) handle moves the one that is due last.
    ///
    /// The list is one of payloads, such as the target queue of another delayed queue, where the
    /// element can be taken at once.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/poll_last.lua`: `ZREM`, `LREM`, `LPUSH`, and the id in
    /// `rdq1_settled:{name}` for 61 s. O(log N), and for an unlisted handle that moves a listed
    /// element as [`cancel`](Self::cancel). Two for an element of more than 1 MiB, of which the
    /// second has a second more for each 4 MiB.
    ///
    /// # Compatibility
    ///
    /// As `RDelayedQueue.pollLastAndOfferFirstTo(name)`. An entry that is no packed member, on
    /// which that fails, stays where it is. Neither applies a name mapper to `name`.
    ///
    /// # Errors
    ///
    /// - [`Error::Name`](crate::Error::Name) if `name` is empty; nothing was sent.
    /// - [`Error::Decode`](crate::Error::Decode) if the codec does not understand the element: it
    ///   was moved.
    /// - [`Error::Lost`](crate::Error::Lost) if the reply was lost. The element is in one of both
    ///   places; calling again could move another one.
    /// - [`Error::Connect`](crate::Error::Connect), [`Error::Denied`](crate::Error::Denied),
    ///   [`Error::Refused`](crate::Error::Refused), [`Error::WrongType`](crate::Error::WrongType):
    ///   nothing was changed.
    ///
    /// # Cancel safety
    ///
    /// Leaves the element moved or not.
    pub async fn poll_last_and_offer_first_to(&self, name: &str) -> Result<Option<T>> {
        let destination = QueueKeys::new(name)?;
        let payload = self
            .core
            .poll_last(destination.target(), self.ordering)
            .await?;
        payload.map(|it| self.decode(it)).transpose()
    }
}
