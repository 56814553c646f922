use std::time::SystemTime;

use super::Pending;
use crate::entry::Entry;
use crate::error::Result;

/// Looking at pending elements.
impl<T: 'static> Pending<T> {
    /// How many elements are pending. A [listed](crate::Listing::Listed) handle counts the listed
    /// ones, an unlisted handle counts all.
    #[doc(alias = "size")]
    pub async fn len(&self) -> Result<usize> {
        self.core.len(self.listing).await
    }

    /// True if no element is pending; see [`len`](Self::len).
    pub async fn is_empty(&self) -> Result<bool> {
        Ok(self.len().await? == 0)
    }

    /// True if a pending element equals `value`.
    pub async fn contains(&self, value: &T) -> Result<bool> {
        self.core
            .contains(&self.core.encode(value)?, self.listing)
            .await
    }

    /// True if every one of `values` equals a pending element; true if `values` is empty.
    pub async fn contains_all(&self, values: &[T]) -> Result<bool> {
        self.core
            .contains_all(self.core.encode_all(values)?, self.listing)
            .await
    }

    /// The pending element that was offered first, which need not be the next to become due. An
    /// [unlisted](crate::Listing::Unlisted) handle returns the next to become due.
    pub async fn peek(&self) -> Result<Option<T>> {
        let payload = self.core.peek(self.listing).await?;
        payload.map(|it| self.core.decode(it)).transpose()
    }

    /// The pending element that becomes due next, with its due time.
    ///
    /// [`peek`](Self::peek) returns the element that was offered first.
    pub async fn peek_next(&self) -> Result<Option<Entry<T>>> {
        let entry = self.core.soonest(1).await?.pop();
        entry.map(|it| self.core.decode_entry(it)).transpose()
    }

    /// When the next pending element becomes due, as [`peek_next`](Self::peek_next) would find it;
    /// `None` if no element is pending.
    ///
    /// A time in the past means that the element is about to be moved to the target queue. The call
    /// needs no codec, so it also works for an element that the codec does not understand.
    pub async fn next_due(&self) -> Result<Option<SystemTime>> {
        let entry = self.core.soonest(1).await?.pop();
        Ok(entry.map(|it| it.due()))
    }

    /// All pending elements in offer order, or by due time for an
    /// [unlisted](crate::Listing::Unlisted) handle. Each comes once.
    pub async fn read_all(&self) -> Result<Vec<T>> {
        self.core
            .decode_all(self.core.read_all(self.listing).await?)
    }
}
