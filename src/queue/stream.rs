//! Streams of what queues hold.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::stream::{self, BoxStream, Stream, StreamExt, TryStreamExt};

use crate::error::{Error, Result};

/// A stream of values, deliveries, dead letters, or other entries of a queue.
///
/// It does nothing until it is polled. A stream that takes (`stream()`) goes on after an error,
/// except [`Error::Closed`], its last item. A stream that reads (`iter()`) ends with its first
/// error, unless its method says otherwise.
///
/// # Cancel safety
///
/// A dropped stream takes no element with it that it has not returned. If a call of
/// [`next`](Self::next) is dropped, the next one goes on with the same item.
///
/// # Examples
///
/// ```no_run
/// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) {
/// let mut values = queue.stream();
/// while let Some(value) = values.next().await {
///     println!("{value:?}");
/// }
/// # }
/// ```
#[must_use = "a stream does nothing unless it is polled"]
pub struct QueueStream<T> {
    /// The name of the queue, or the names of several.
    queue: String,
    items: BoxStream<'static, Result<T>>,
}

impl<T> QueueStream<T> {
    pub(crate) fn new(
        queue: impl Into<String>,
        items: impl Stream<Item = Result<T>> + Send + 'static,
    ) -> Self {
        Self {
            queue: queue.into(),
            items: items.fuse().boxed(),
        }
    }

    /// What `take` takes from `source`, one after the other. [`Error::Closed`] is the last item.
    pub(crate) fn until_closed<S, F>(
        queue: impl Into<String>,
        source: S,
        take: impl Fn(S) -> F + Send + 'static,
    ) -> Self
    where
        S: Send + 'static,
        T: 'static,
        F: Future<Output = (S, Result<T>)> + Send + 'static,
    {
        let items = stream::unfold(Some(source), move |source| {
            let taking = source.map(&take);
            async move {
                let (source, taken) = taking?.await;
                let rest = (!matches!(taken, Err(Error::Closed))).then_some(source);
                Some((taken, rest))
            }
        });
        Self::new(queue, items)
    }

    /// Waits for the next item; `None` at the end.
    ///
    /// This is a `Stream` as well. This method needs no import of `StreamExt`.
    #[expect(clippy::should_implement_trait, reason = "streams call it so")]
    pub fn next(&mut self) -> impl Future<Output = Option<Result<T>>> + Send + Unpin {
        self.items.next()
    }
}

impl<T> Stream for QueueStream<T> {
    type Item = Result<T>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.items.poll_next_unpin(context)
    }
}

impl<T> fmt::Debug for QueueStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueueStream")
            .field("queue", &self.queue)
            .finish_non_exhaustive()
    }
}

/// The items of pages, one after the other. `read` reads the page at a place, and says where the next
/// one begins, unless this one is the last. An error is the last item.
pub(crate) fn paged<P, T, F>(
    first: P,
    read: impl Fn(P) -> F + Send,
) -> impl Stream<Item = Result<T>> + Send
where
    P: Send,
    T: Send,
    F: Future<Output = Result<(Vec<T>, Option<P>)>> + Send,
{
    let pages = stream::try_unfold(Some(first), move |place| {
        let reading = place.map(&read);
        async move {
            match reading {
                Some(page) => page.await.map(Some),
                None => Ok(None),
            }
        }
    });
    pages
        .map_ok(|page| stream::iter(page.into_iter().map(Ok)))
        .try_flatten()
}
