//! Looking at elements without taking them.

use std::ops::RangeBounds;

use bytes::Bytes;

use super::BlockingQueue;
use crate::error::Result;
use crate::queue::raw::Places;
use crate::side::Side;

/// Looking at elements without taking them.
impl<T: 'static> BlockingQueue<T> {
    /// How many elements are due and not yet claimed by a consumer.
    ///
    /// # Redis
    ///
    /// `LLEN`, as `RBlockingQueue.size()`. O(1).
    ///
    /// # Errors
    ///
    /// Any error of Redis or the connection; nothing is changed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn len(&self) -> Result<usize> {
        self.core.target_len().await
    }

    /// True if the list is empty; see [`len`](Self::len).
    ///
    /// # Errors
    ///
    /// As [`len`](Self::len).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn is_empty(&self) -> Result<bool> {
        Ok(self.len().await? == 0)
    }

    /// The first element, which is the next to be taken; `None` if the list is empty.
    ///
    /// # Redis
    ///
    /// `LINDEX 0`. O(1).
    ///
    /// # Compatibility
    ///
    /// As `RQueue.peek()` and `RDeque.peekFirst()`; also as `element()` and `getFirst()`, which throw
    /// if the list is empty.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    #[doc(alias = "element")]
    #[doc(alias = "getFirst")]
    #[doc(alias = "peekFirst")]
    pub async fn peek(&self) -> Result<Option<T>> {
        self.at(0).await
    }

    /// The last element; `None` if the list is empty.
    ///
    /// # Redis
    ///
    /// `LINDEX -1`. O(1).
    ///
    /// # Compatibility
    ///
    /// As `RDeque.peekLast()`; also as `getLast()`, which throws if the list is empty.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    #[doc(alias = "getLast")]
    pub async fn peek_last(&self) -> Result<Option<T>> {
        self.at(-1).await
    }

    /// The element in the place `index`, counted from 0; `None` if the list is not that long.
    ///
    /// # Redis
    ///
    /// `LINDEX`. O(D): D elements lie between the place and the nearer side; Redis skips a hundred or
    /// so at a time.
    ///
    /// # Compatibility
    ///
    /// As `RList.get(index)` on the same key, which counts from the back if `index` is negative;
    /// [`peek_last`](Self::peek_last) is its `get(-1)`.
    ///
    /// # Errors
    ///
    /// - [`Error::Decode`](crate::Error::Decode) if the codec does not understand the element,
    ///   which stays in the queue.
    /// - Any error of Redis or the connection; nothing is changed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn get(&self, index: usize) -> Result<Option<T>> {
        match i64::try_from(index) {
            Ok(index) => self.at(index).await,
            Err(_) => Ok(None),
        }
    }

    async fn at(&self, index: i64) -> Result<Option<T>> {
        let payload = self.core.target_get(index).await?;
        payload.map(|it| self.decode(it)).transpose()
    }

    /// The place of the first element that equals `value`; `None` if there is none.
    ///
    /// # Redis
    ///
    /// `LPOS`. O(N): some 30 ms for a million elements of 68 bytes, if it is the last.
    ///
    /// # Compatibility
    ///
    /// As `RQueue.indexOf(o)` of Redisson 4.3.1 and later, which reads all elements into a script,
    /// and returns -1 for none.
    ///
    /// # Errors
    ///
    /// None of these changes anything: [`Error::Encode`](crate::Error::Encode),
    /// [`Error::TooLarge`](crate::Error::TooLarge), or any error of Redis or the connection.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn index_of(&self, value: &T) -> Result<Option<usize>> {
        self.core
            .target_find(&self.encode(value)?, Side::First)
            .await
    }

    /// The place of the last element that equals `value`, counted from the front; `None` if there
    /// is none.
    ///
    /// # Redis
    ///
    /// `LPOS` with `RANK -1`, which searches from the end. O(N).
    ///
    /// # Compatibility
    ///
    /// As `RList.lastIndexOf(o)` on the same key, but for -1.
    ///
    /// # Errors
    ///
    /// As [`index_of`](Self::index_of).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn last_index_of(&self, value: &T) -> Result<Option<usize>> {
        self.core
            .target_find(&self.encode(value)?, Side::Last)
            .await
    }

    /// True if an element equals `value`.
    ///
    /// # Redis
    ///
    /// As [`index_of`](Self::index_of).
    ///
    /// # Compatibility
    ///
    /// As `RQueue.contains(o)`: by the bytes that the codec writes.
    ///
    /// # Errors
    ///
    /// As [`index_of`](Self::index_of).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn contains(&self, value: &T) -> Result<bool> {
        Ok(self.index_of(value).await?.is_some())
    }

    /// True if each of `values` equals an element; true if there are no values.
    ///
    /// Equal values may be found in the same element, as in Java.
    ///
    /// # Redis
    ///
    /// One `LPOS` for each value until one is not found, up to 16 of them on their way at once.
    /// Each looks at the list of its own moment.
    ///
    /// # Compatibility
    ///
    /// As `RQueue.containsAll(c)`, which compares all elements with all values in one script.
    ///
    /// # Errors
    ///
    /// As [`index_of`](Self::index_of).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn contains_all(&self, values: &[T]) -> Result<bool> {
        let payloads = self.encode_all(values)?;
        self.core.target_contains_all(&payloads).await
    }

    /// All elements, from the first to the last.
    ///
    /// A list of fewer than 1,000 elements is read at one moment. A longer list is read in several
    /// commands, from the last element on. Elements that are taken from the front meanwhile do no
    /// harm. As many elements as are appended between two commands are in the result twice, and as
    /// many as are removed from the back may be missing.
    ///
    /// # Redis
    ///
    /// One `LRANGE` for up to 1,000 elements.
    ///
    /// # Compatibility
    ///
    /// As `RQueue.readAll()`, which reads everything in one command.
    ///
    /// # Errors
    ///
    /// - [`Error::Decode`](crate::Error::Decode) if the codec does not understand an element; all
    ///   stay in the queue.
    /// - Any error of Redis or the connection; nothing is changed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    #[doc(alias = "toArray")]
    pub async fn read_all(&self) -> Result<Vec<T>> {
        self.decode_all(self.core.target_read_all().await?)
    }

    /// The elements in the places of `range`, as far as the list has them, from the first to the
    /// last.
    ///
    /// A range of up to 1,000 places with an upper bound is read at one moment. A longer range is
    /// read in several commands, from the last place on. As many elements as leave at the front
    /// between two commands are then in the result twice.
    ///
    /// # Redis
    ///
    /// One `LRANGE` for up to 1,000 elements, and an `LLEN` if the range may hold more of them.
    ///
    /// # Compatibility
    ///
    /// As `RList.range(from, to)` on the same key, which includes `to`.
    ///
    /// # Errors
    ///
    /// As [`read_all`](Self::read_all).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn run(queue: redisson_delayed_queue::BlockingQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// let next_ten = queue.range(..10).await?;
    /// # Ok(()) }
    /// ```
    pub async fn range(&self, range: impl RangeBounds<usize>) -> Result<Vec<T>> {
        match Places::new(range) {
            Some(span) => self.decode_all(self.core.target_range(span).await?),
            None => Ok(Vec::new()),
        }
    }

    fn decode_all(&self, payloads: Vec<Bytes>) -> Result<Vec<T>> {
        payloads.into_iter().map(|it| self.decode(it)).collect()
    }
}
