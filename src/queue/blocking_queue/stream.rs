use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::stream::{BoxStream, Stream, StreamExt};

use super::BlockingQueue;
use crate::error::Result;
use crate::queue::taker::until_closed;

/// Taking without end.
impl<T: 'static> BlockingQueue<T> {
    /// The elements as they come, without end: each item is a [`take`](Self::take).
    ///
    /// The stream asks for nothing until it is polled. An error does not end it, except
    /// [`Error::Closed`](crate::Error::Closed), which is its last item. Java's
    /// `subscribeOnElements(consumer)` loses an element if the consumer throws.
    pub fn stream(&self) -> TakeStream<T> {
        let values = until_closed(self.clone(), |queue| async move {
            let taken = queue.take().await;
            (queue, taken)
        });
        TakeStream::new(self.name().to_owned(), values)
    }
}

/// A stream of elements taken from one queue, made by
/// [`DelayedQueue::stream`](crate::DelayedQueue::stream), [`BlockingQueue::stream`] and
/// [`ShardedQueue::stream`](crate::ShardedQueue::stream).
#[must_use = "a stream does nothing unless it is polled"]
pub struct TakeStream<T> {
    queue: String,
    values: BoxStream<'static, Result<T>>,
}

impl<T> TakeStream<T> {
    pub(crate) fn new(queue: String, values: BoxStream<'static, Result<T>>) -> Self {
        Self { queue, values }
    }
}

impl<T> Stream for TakeStream<T> {
    type Item = Result<T>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.values.poll_next_unpin(context)
    }
}

impl<T> fmt::Debug for TakeStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TakeStream")
            .field("queue", &self.queue)
            .finish_non_exhaustive()
    }
}
