use std::ops::RangeBounds;

use super::BlockingQueue;
use crate::error::Result;
use crate::queue::raw::Places;
use crate::side::Side;

/// Looking at elements without taking them.
impl<T: 'static> BlockingQueue<T> {
    /// How many elements are ready, and not yet claimed by a consumer.
    pub async fn len(&self) -> Result<usize> {
        self.core.target_len().await
    }

    /// True if the list is empty; see [`len`](Self::len).
    pub async fn is_empty(&self) -> Result<bool> {
        Ok(self.len().await? == 0)
    }

    /// The first element, which is the next to be taken; `None` if the list is empty.
    #[doc(alias = "element")]
    #[doc(alias = "getFirst")]
    #[doc(alias = "peekFirst")]
    pub async fn peek(&self) -> Result<Option<T>> {
        self.at(0).await
    }

    /// The last element; `None` if the list is empty.
    #[doc(alias = "getLast")]
    pub async fn peek_last(&self) -> Result<Option<T>> {
        self.at(-1).await
    }

    /// The element in the place `index`, counted from 0; `None` if the list is not that long.
    pub async fn get(&self, index: usize) -> Result<Option<T>> {
        match i64::try_from(index) {
            Ok(index) => self.at(index).await,
            Err(_) => Ok(None),
        }
    }

    async fn at(&self, index: i64) -> Result<Option<T>> {
        let payload = self.core.target_get(index).await?;
        payload.map(|it| self.core.decode(it)).transpose()
    }

    /// The place of the first element that equals `value`; `None` if there is none.
    pub async fn index_of(&self, value: &T) -> Result<Option<usize>> {
        self.core
            .target_find(&self.core.encode(value)?, Side::First)
            .await
    }

    /// The place of the last element that equals `value`, counted from the front; `None` if there
    /// is none.
    pub async fn last_index_of(&self, value: &T) -> Result<Option<usize>> {
        self.core
            .target_find(&self.core.encode(value)?, Side::Last)
            .await
    }

    /// True if an element equals `value`.
    pub async fn contains(&self, value: &T) -> Result<bool> {
        Ok(self.index_of(value).await?.is_some())
    }

    /// True if each of `values` equals an element; true if there are no values.
    ///
    /// Equal values may be found in the same element, as in Java. Each search looks at the list of
    /// its own moment.
    pub async fn contains_all(&self, values: &[T]) -> Result<bool> {
        let payloads: Vec<_> = self.core.encode_all(values)?;
        self.core.target_contains_all(&payloads).await
    }

    /// All elements, from the first to the last.
    ///
    /// A list of up to 3 elements is read at one moment. A longer list is read in several commands,
    /// from the last element on. Elements that are taken from the front meanwhile do no harm. As many
    /// elements as are appended between two commands are in the result twice, and as many as are
    /// removed from the back may be missing. [`range(..1_000)`](Self::range) reads up to 1,000
    /// elements at one moment.
    #[doc(alias = "toArray")]
    pub async fn read_all(&self) -> Result<Vec<T>> {
        self.core.decode_all(self.core.target_read_all().await?)
    }

    /// The elements in the places of `range`, as far as the list has them, from the first to the
    /// last; Java's `range(from, to)` includes `to`.
    ///
    /// A range of up to 1,000 places with an upper bound is read at one moment. A longer range is
    /// read in several commands, from the last place on. As many elements as leave at the front
    /// between two commands are then in the result twice.
    pub async fn range(&self, range: impl RangeBounds<usize>) -> Result<Vec<T>> {
        match Places::new(range) {
            Some(span) => self.core.decode_all(self.core.target_range(span).await?),
            None => Ok(Vec::new()),
        }
    }
}
