//! Looking at elements without taking them.

use std::ops::RangeBounds;

use bytes::Bytes;
use futures::stream::{self, Stream, StreamExt};

use super::BlockingQueue;
use crate::end::End;
use crate::error::Result;
use crate::queue::raw::{Pace, Places, RawQueue};

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
    /// What keeps Redis from answering; nothing is changed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn len(&self) -> Result<usize> {
        self.core.target_len().await
    }

    /// Whether no element is due and unclaimed; see [`len`](Self::len).
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

    /// The first element, which is taken next; nothing if there is none.
    ///
    /// # Redis
    ///
    /// `LINDEX 0`. O(1).
    ///
    /// # Compatibility
    ///
    /// As `RQueue.peek()`, `RDeque.peekFirst()` and, but for an exception where these find nothing,
    /// `element()` and `getFirst()`.
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

    /// The last element; nothing if there is none.
    ///
    /// # Redis
    ///
    /// `LINDEX -1`. O(1).
    ///
    /// # Compatibility
    ///
    /// As `RDeque.peekLast()` and, but for an exception where it finds nothing, `getLast()`.
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

    /// The element in the place `index`, from 0; nothing if the list is not that long.
    ///
    /// # Redis
    ///
    /// `LINDEX`. O(D): D elements lie between the place and the nearer end, of which Redis skips a
    /// hundred or so at a time.
    ///
    /// # Compatibility
    ///
    /// As `RList.get(index)` on the same key, which counts backwards where `index` is negative;
    /// [`peek_last`](Self::peek_last) is the -1 of that.
    ///
    /// # Errors
    ///
    /// - [`Error::Decode`](crate::Error::Decode) if the codec does not understand the element,
    ///   which stays in the queue.
    /// - What keeps Redis from answering; nothing is changed.
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

    /// The place of the first element that equals `value`; nothing if there is none.
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
    /// Nothing is changed by any: [`Error::Encode`](crate::Error::Encode),
    /// [`Error::TooLarge`](crate::Error::TooLarge), or what keeps Redis from answering.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn index_of(&self, value: &T) -> Result<Option<usize>> {
        self.core
            .target_find(&self.encode(value)?, End::First)
            .await
    }

    /// The place of the last element that equals `value`, counted from the front; nothing if there
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
        self.core.target_find(&self.encode(value)?, End::Last).await
    }

    /// Whether an element equals `value`.
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

    /// Whether each of `values` equals an element; true if there are no values.
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
    /// Fewer than 1,000 elements are those of one moment. More are read from the last on in several
    /// commands: what is taken from the front meanwhile hides nothing, but as many elements as are
    /// appended between two commands are in the result twice, and as many as are removed from the
    /// end may be missing.
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
    /// - What keeps Redis from answering; nothing is changed.
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
    /// Up to 1,000 places with an end are those of one moment. More are read from the last on in
    /// several commands, and then as many elements as leave at the front between two commands are
    /// in the result twice.
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

    /// The elements from the first on, read as the stream is.
    ///
    /// An element that the codec does not understand is an [`Error::Decode`](crate::Error::Decode)
    /// in its place and does not end the stream. Any other error is its last item.
    ///
    /// The stream goes from place to place, 1,000 at a time. As many elements as leave at the front
    /// between two of these reads are not seen: to miss nothing, use [`read_all`](Self::read_all).
    ///
    /// # Redis
    ///
    /// One `LRANGE` for up to 1,000 elements.
    ///
    /// # Compatibility
    ///
    /// As `RQueue.iterator()`, which goes from place to place as well, with a command for each, and
    /// can remove what it has read; for that there is [`remove`](Self::remove).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use futures::StreamExt;
    ///
    /// # async fn run(queue: redisson_delayed_queue::BlockingQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// let mut values = queue.iter();
    /// while let Some(value) = values.next().await {
    ///     println!("{}", value?);
    /// }
    /// # Ok(()) }
    /// ```
    #[doc(alias = "iterator")]
    pub fn iter(&self) -> impl Stream<Item = Result<T>> + Send + Unpin + use<T>
    where
        T: Send,
    {
        let pace = Pace::new(RawQueue::TARGET_PAGE);
        let pages = stream::unfold(Some((self.clone(), 0, pace)), |state| async move {
            let (queue, first, mut pace) = state?;
            let after = first + pace.next() as i64;
            let page = match queue.core.target_page(first, after - 1, &mut pace).await {
                Ok(page) if page.is_empty() => return None,
                Ok(page) => page,
                Err(error) => return Some((vec![Err(error)], None)),
            };
            let values = page.into_iter().map(|it| queue.decode(it)).collect();
            Some((values, Some((queue, after, pace))))
        });
        // Boxed, so that callers need not pin it.
        Box::pin(pages.flat_map(|values: Vec<Result<T>>| stream::iter(values)))
    }

    fn decode_all(&self, payloads: Vec<Bytes>) -> Result<Vec<T>> {
        payloads.into_iter().map(|it| self.decode(it)).collect()
    }
}
