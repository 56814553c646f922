use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::stream::{BoxStream, Stream, StreamExt};

use super::Selector;
use crate::error::Result;
use crate::queue::taker::until_closed;

/// Taking from several queues without end.
impl<T: 'static> Selector<T> {
    /// The elements of all queues as they come, without end: each item is a [`take`](Self::take).
    ///
    /// The stream asks for nothing until it is polled. An error does not end it, except
    /// [`Error::Closed`](crate::Error::Closed), which is its last item.
    pub fn stream(&self) -> SelectStream<T> {
        SelectStream {
            selector: self.clone(),
            values: until_closed(self.clone(), |selector| async move {
                let taken = selector.take().await;
                (selector, taken)
            }),
        }
    }
}

/// A stream of elements taken from several queues, made by [`Selector::stream`].
#[must_use = "a stream does nothing unless it is polled"]
pub struct SelectStream<T> {
    selector: Selector<T>,
    values: BoxStream<'static, Result<(String, T)>>,
}

impl<T> Stream for SelectStream<T> {
    type Item = Result<(String, T)>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.values.poll_next_unpin(context)
    }
}

impl<T: 'static> fmt::Debug for SelectStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SelectStream")
            .field("selector", &self.selector)
            .finish_non_exhaustive()
    }
}
