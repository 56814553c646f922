//! Deliveries without end.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::stream::{BoxStream, Stream, StreamExt};

use super::{Consumer, Delivery};
use crate::error::Result;
use crate::queue::taker::until_closed;

/// A stream of deliveries, made by [`Consumer::stream`].
#[must_use = "a stream does nothing unless it is polled"]
pub struct DeliveryStream<T> {
    queue: String,
    deliveries: BoxStream<'static, Result<Delivery<T>>>,
}

impl<T: Send + 'static> DeliveryStream<T> {
    pub(super) fn new(consumer: Consumer<T>) -> Self {
        let queue = consumer.name().to_owned();
        let deliveries = until_closed(consumer, |consumer| async move {
            let received = consumer.recv().await;
            (consumer, received)
        });
        Self { queue, deliveries }
    }
}

impl<T> Stream for DeliveryStream<T> {
    type Item = Result<Delivery<T>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.deliveries.poll_next_unpin(context)
    }
}

impl<T> fmt::Debug for DeliveryStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeliveryStream")
            .field("queue", &self.queue)
            .finish_non_exhaustive()
    }
}
