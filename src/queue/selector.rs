//! Taking from the first of several queues that has an element.

use std::fmt;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use bytes::Bytes;
use futures::stream::{FuturesUnordered, StreamExt};
use tokio::time::{sleep_until, timeout_at};

use crate::delivery::intake::Patience;
use crate::error::{Error, Result};
use crate::queue::blocking_queue::BlockingQueue;
use crate::queue::raw::RawQueue;
use crate::queue::stream::QueueStream;
use crate::side::Side;
use crate::trace;

/// Takes from many queues at once: the next element of any of them.
///
/// No queue starves: each call looks at the queues in turn, and begins behind the queue that was
/// served last. A queue may come several times in a row while elements of others are on their way.
/// Clones take turns together.
///
/// Any number of queues of one client share its sockets. Queues of several clients can be mixed.
/// When one of the clients is shut down, every call returns [`Error::Closed`].
///
/// As on every handle, `take…` waits (`take_many` up to its `wait`), `poll` waits up to its
/// `timeout`, and `try_take` waits for no element. It and a `poll` with a timeout of zero wait for the
/// answer of each server: one that is frozen holds them up for the [response
/// timeout](crate::ClientBuilder::response_timeout), and the other calls go on without it. A call
/// costs and fails like the call of the same name of [`DelayedQueue`](crate::DelayedQueue), for each
/// queue that may have an element, and all calls are cancel safe: nothing was taken if dropped.
///
/// # Examples
///
/// ```no_run
/// use redisson_delayed_queue::{Client, Selector, codec::StringCodec};
///
/// # async fn run(client: Client) -> redisson_delayed_queue::Result<()> {
/// let orders = client.delayed_queue("orders", StringCodec)?;
/// let refunds = client.delayed_queue("refunds", StringCodec)?;
/// let selector = Selector::new([orders, refunds]);
/// loop {
///     let (queue, value) = selector.take().await?;
///     println!("{queue}: {value}");
/// }
/// # }
/// ```
pub struct Selector<T> {
    queues: Arc<[BlockingQueue<T>]>,
    /// The place of the queue to look at first.
    next: Arc<AtomicUsize>,
}

impl<T: 'static> Selector<T> {
    /// Takes from these queues, all [`DelayedQueue`](crate::DelayedQueue)s or all
    /// [`BlockingQueue`]s. To mix both, pass the [destination](crate::DelayedQueue::destination) of
    /// each delayed queue.
    ///
    /// The client goes on moving the due elements of a delayed queue while the selector lives.
    /// Without queues, `take` waits forever.
    pub fn new<Q: Into<BlockingQueue<T>>>(queues: impl IntoIterator<Item = Q>) -> Self {
        Self {
            queues: queues.into_iter().map(Into::into).collect(),
            next: Arc::default(),
        }
    }

    /// Waits for the next element of any of the queues, and takes it; says which queue had it.
    ///
    /// Keeps waiting while Redis is unreachable, frozen or restarting.
    ///
    /// # Redis
    ///
    /// The client claims one element of each queue that may have one, and more for a tight loop.
    /// Elements that no further call takes within 20 ms go back to the heads of their queues.
    ///
    /// # Compatibility
    ///
    /// Java has no such call for delayed queues. `RBlockingQueue.pollFromAny` prefers the first
    /// queue, like [`BlockingQueue::poll_from_any`].
    pub async fn take(&self) -> Result<(String, T)> {
        Patience::forever(|patience| self.wait(patience)).await
    }

    /// Waits up to `timeout` for an element of any of the queues, and takes it; `None` if none
    /// came. A timeout of zero asks Redis once for each queue, all at once.
    pub async fn poll(&self, timeout: Duration) -> Result<Option<(String, T)>> {
        self.wait(Patience::of(timeout)).await
    }

    /// Takes an element if there is one in any of the target queues; `None` otherwise.
    pub async fn try_take(&self) -> Result<Option<(String, T)>> {
        self.poll(Duration::ZERO).await
    }

    /// Waits up to `wait` for an element of any of the queues, and takes it together with the
    /// elements of all queues that have arrived by then, up to `max`; an empty list if none came.
    ///
    /// # Errors
    ///
    /// An element that a codec does not understand stays, with those behind it in its queue, unless
    /// it is the first of all.
    pub async fn take_many(&self, max: usize, wait: Duration) -> Result<Vec<(String, T)>> {
        let patience = Patience::of(wait);
        let mut taken = self.many_at_hand(max, Vec::new())?;
        while taken.is_empty() && max > 0 {
            // Shares the batch, so that one queue does not fill it alone.
            let share = max.div_ceil(self.queues.len().max(1));
            let waits = self.in_turn().map(|(place, queue)| async move {
                let batch = queue.core().take_batch(Side::First, share, patience).await;
                batch.map(|batch| batch.map(|batch| (place, batch)))
            });
            let Some((place, batch)) = first_of(waits, patience).await? else {
                break;
            };
            self.served(place);
            let queue = &self.queues[place];
            let values = queue.core().accept(batch, true)?;
            taken.extend(values.into_iter().map(|it| (queue.name().to_owned(), it)));
            taken = self.many_at_hand(max, taken)?;
        }
        Ok(taken)
    }

    async fn wait(&self, patience: Patience) -> Result<Option<(String, T)>> {
        trace::take_any(self.wait_for_any(patience)).await
    }

    async fn wait_for_any(&self, patience: Patience) -> Result<Option<(String, T)>> {
        for (place, queue) in self.in_turn() {
            if let Some(payload) = queue.core().intake(Side::First)?.take_at_hand()? {
                return self.named(place, payload).map(Some);
            }
        }
        let waits = self.in_turn().map(|(place, queue)| async move {
            let payload = queue.core().take(Side::First, patience).await;
            payload.map(|payload| payload.map(|payload| (place, payload)))
        });
        let taken = first_of(waits, patience).await?;
        taken
            .map(|(place, payload)| self.named(place, payload))
            .transpose()
    }

    /// Adds the elements at hand to `taken`, up to `max` together.
    fn many_at_hand(&self, max: usize, mut taken: Vec<(String, T)>) -> Result<Vec<(String, T)>> {
        for (place, queue) in self.in_turn() {
            let left = max.saturating_sub(taken.len());
            let batch = match queue
                .core()
                .intake(Side::First)
                .and_then(|it| it.batch_at_hand(left))
            {
                Ok(batch) if batch.len() == 0 => continue,
                Ok(batch) => batch,
                // Keep what was taken; the next call reports the error.
                Err(_) if !taken.is_empty() => break,
                Err(closed) => return Err(closed),
            };
            let values = queue.core().accept(batch, taken.is_empty())?;
            self.served(place);
            taken.extend(values.into_iter().map(|it| (queue.name().to_owned(), it)));
        }
        Ok(taken)
    }

    fn named(&self, place: usize, payload: Bytes) -> Result<(String, T)> {
        self.served(place);
        let queue = &self.queues[place];
        let value = queue.core().decode(payload)?;
        Ok((queue.name().to_owned(), value))
    }

    /// The queues with their places, beginning with the one whose turn it is.
    fn in_turn(&self) -> impl Iterator<Item = (usize, &BlockingQueue<T>)> {
        let next = self.next.load(Relaxed);
        let (before, from) = self.queues.split_at(next.min(self.queues.len()));
        let from = (next..).zip(from);
        let before = (0..).zip(before);
        from.chain(before)
    }

    /// Puts the queue behind this one first for the next call.
    fn served(&self, place: usize) {
        self.next.store((place + 1) % self.queues.len(), Relaxed);
    }

    /// The elements of all queues as they come, without end: each item is a [`take`](Self::take).
    pub fn stream(&self) -> QueueStream<(String, T)> {
        let names = self.queues.iter().map(BlockingQueue::name);
        let names = names.collect::<Vec<_>>().join(", ");
        QueueStream::until_closed(names, self.clone(), |selector| async move {
            let taken = selector.take().await;
            (selector, taken)
        })
    }
}

impl<T> Clone for Selector<T> {
    fn clone(&self) -> Self {
        Self {
            queues: Arc::clone(&self.queues),
            next: Arc::clone(&self.next),
        }
    }
}

impl<T: 'static> fmt::Debug for Selector<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Selector")
            .field("queues", &self.queues)
            .finish_non_exhaustive()
    }
}

/// Takes from the first of `queues` that has an element; if none has, waits for any of them.
/// Returns the queue's place and the payload.
pub(crate) async fn poll_in_order(
    queues: &[Arc<RawQueue>],
    side: Side,
    patience: Patience,
) -> Result<Option<(usize, Bytes)>> {
    // One after the other: a claim on all would have to give elements back.
    let look = async {
        for (place, queue) in queues.iter().enumerate() {
            match queue.take(side, Patience::Once).await {
                Ok(Some(payload)) => return Ok(Some((place, payload))),
                Ok(None) => {}
                // With patience left, the connection may come back.
                Err(Error::Connect { .. } | Error::Lost { .. })
                    if !matches!(patience, Patience::Once) =>
                {
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    };
    let looked = match patience {
        Patience::Until(deadline) => timeout_at(deadline, look).await.unwrap_or(Ok(None)),
        Patience::Forever | Patience::Known | Patience::Once => look.await,
    };
    match looked {
        Ok(None) if !matches!(patience, Patience::Once) => {}
        looked => return looked,
    }
    let waits = queues.iter().enumerate().map(|(place, queue)| async move {
        let payload = queue.take(side, patience).await;
        payload.map(|payload| payload.map(|payload| (place, payload)))
    });
    first_of(waits, patience).await
}

/// Returns the first result that is not `None`. Each of `waits` gives up when the patience ends.
async fn first_of<T>(
    waits: impl Iterator<Item = impl Future<Output = Result<Option<T>>>>,
    patience: Patience,
) -> Result<Option<T>> {
    // The others are dropped, which takes nothing.
    let mut waits: FuturesUnordered<_> = waits.collect();
    if waits.is_empty() {
        match patience {
            Patience::Forever => pending().await,
            Patience::Known | Patience::Once => {}
            Patience::Until(deadline) => sleep_until(deadline).await,
        }
    }
    while let Some(got) = waits.next().await {
        if let Some(got) = got? {
            return Ok(Some(got));
        }
    }
    Ok(None)
}
