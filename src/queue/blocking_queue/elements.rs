use std::sync::Arc;

use bytes::Bytes;
use futures::stream::{Stream, StreamExt};

use super::BlockingQueue;
use crate::error::Result;
use crate::queue::raw::{PageSize, RawQueue};
use crate::queue::stream::{QueueStream, paged};

/// The elements of a target queue, one after the other.
impl<T: 'static> BlockingQueue<T> {
    /// The elements from the first to the last, without taking them.
    ///
    /// If the codec does not understand an element, the item is an
    /// [`Error::Decode`](crate::Error::Decode), and the stream goes on.
    ///
    /// The stream reads place by place, up to 1,000 at a time, as it is polled. It misses as many
    /// elements as others take from the front between two reads. To miss nothing, use
    /// [`read_all`](Self::read_all). Java's iterator can also remove the element that it read;
    /// here, use [`remove`](Self::remove).
    #[doc(alias = "iterator")]
    pub fn iter(&self) -> QueueStream<T> {
        let core = self.core.clone();
        let payloads = payloads(Arc::clone(&self.core.raw));
        let values = payloads.map(move |it| it.and_then(|payload| core.decode(payload)));
        QueueStream::new(self.name(), values)
    }
}

/// The payloads in the target queue of `queue`. An error is the last item.
fn payloads(queue: Arc<RawQueue>) -> impl Stream<Item = Result<Bytes>> + Send {
    let size = PageSize::new(RawQueue::TARGET_PAGE);
    paged((0, size), move |(first, mut size)| {
        let queue = Arc::clone(&queue);
        async move {
            let after = first + size.next() as i64;
            let page = queue.target_page(first, after - 1, &mut size).await?;
            // What is appended meanwhile stands right behind a short page.
            let next = (!page.is_empty()).then_some((first + page.len() as i64, size));
            Ok((page, next))
        }
    })
}
