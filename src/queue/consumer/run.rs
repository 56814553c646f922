//! Running a handler for each element.

use std::fmt;
use std::future::pending;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::task::JoinSet;
use tokio::time::{self, MissedTickBehavior, sleep, timeout};

use super::handler::Then;
use super::{Consumer, Delivery, DeliveryInfo, HandlerError, Receipt};
use crate::error::{Error, Result};
use crate::link::backoff::Backoff;
use crate::wire::script::Decision;

/// A handler at work, made by [`Consumer::run`]. Await it to run it.
///
/// - Each element has a task of its own. Up to `concurrency` of them run at a time.
/// - `Ok(())` acknowledges the element. A [`HandlerError`] says what becomes of it.
/// - A handler that panics or exceeds the [`timeout`](Self::timeout) has failed this attempt.
/// - While a handler runs, its lease is extended. If that fails, because Redis cannot be reached for
///   longer than the [visibility](super::ConsumerBuilder::visibility), another consumer may get the
///   element while the handler still runs.
/// - An element that the codec does not understand goes to the dead letters.
///
/// It ends when [`until`](Self::until) is ready or when the client is shut down. It then takes no
/// further elements, waits for the handlers that run, up to the [`grace`](Self::grace) period, and
/// gives back what they did not finish. To end the process afterwards, call
/// [`Client::shutdown`](crate::Client::shutdown) when this future is done: before that,
/// acknowledgements could not be sent.
///
/// # Cancel safety
///
/// If the future is dropped, the running handlers are dropped at their next await, and their elements
/// are due again at once. The attempts count.
#[must_use = "a handler runs only while this is awaited"]
pub struct Run<T, H> {
    consumer: Consumer<T>,
    concurrency: usize,
    handler: H,
    grace: Duration,
    timeout: Option<Duration>,
    until: BoxFuture<'static, ()>,
}

impl<T: 'static, H> Run<T, H> {
    pub(super) fn new(consumer: Consumer<T>, concurrency: usize, handler: H) -> Self {
        Self {
            consumer,
            concurrency: concurrency.max(1),
            handler,
            grace: Duration::from_secs(30),
            timeout: None,
            until: pending().boxed(),
        }
    }

    /// How long to wait in the end for handlers that still run. Default: 30 s.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// How long a handler may run. Default: as long as it likes.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// When to stop taking elements. Default: never.
    pub fn until(mut self, stop: impl Future<Output = ()> + Send + 'static) -> Self {
        self.until = stop.boxed();
        self
    }
}

impl<T, H, F> IntoFuture for Run<T, H>
where
    T: Send + 'static,
    H: Fn(T, DeliveryInfo) -> F + Send + Sync + 'static,
    F: Future<Output = Result<(), HandlerError>> + Send + 'static,
{
    type Output = ();
    type IntoFuture = BoxFuture<'static, ()>;

    fn into_future(self) -> Self::IntoFuture {
        self.run().boxed()
    }
}

impl<T, H, F> Run<T, H>
where
    T: Send + 'static,
    H: Fn(T, DeliveryInfo) -> F + Send + Sync + 'static,
    F: Future<Output = Result<(), HandlerError>> + Send + 'static,
{
    /// The longest pause after an error of the consumer.
    const LONGEST_PAUSE: Duration = Duration::from_secs(1);

    async fn run(self) {
        let Self {
            consumer,
            concurrency,
            handler,
            grace,
            timeout: limit,
            mut until,
        } = self;
        let handler = Arc::new(handler);
        let mut backoff = Backoff::new(Self::LONGEST_PAUSE);
        // Dropping the set ends the tasks.
        let mut running = JoinSet::new();
        loop {
            tokio::select! {
                biased;
                () = &mut until => break,
                Some(_) = running.join_next() => {}
                received = consumer.recv(), if running.len() < concurrency => match received {
                    Ok(delivery) => {
                        backoff.reset();
                        running.spawn(handle(delivery, Arc::clone(&handler), limit));
                    }
                    Err(Error::Closed) => break,
                    // It is in the dead letters.
                    Err(error @ Error::Decode { .. }) => {
                        tracing::warn!(queue = consumer.name(), %error, "rejected an element");
                    }
                    Err(error) => {
                        tracing::warn!(queue = consumer.name(), %error, "cannot receive");
                        tokio::select! {
                            () = &mut until => break,
                            () = sleep(backoff.next()) => {}
                        }
                    }
                },
            }
        }
        let finish = async { while running.join_next().await.is_some() {} };
        if timeout(grace, finish).await.is_err() {
            running.shutdown().await;
        }
    }
}

/// Handles one element, and says what became of it.
async fn handle<T, H, F>(delivery: Delivery<T>, handler: Arc<H>, limit: Option<Duration>)
where
    H: Fn(T, DeliveryInfo) -> F,
    F: Future<Output = Result<(), HandlerError>>,
{
    let (value, receipt) = delivery.into_parts();
    let info = DeliveryInfo::new(&receipt);
    // The handler itself may panic before it returns its future.
    let work = AssertUnwindSafe(async { handler(value, info).await }).catch_unwind();
    let timed = async {
        match limit {
            Some(limit) => timeout(limit, work).await.map_err(|_| limit),
            None => Ok(work.await),
        }
    };
    let handled = while_extending(&receipt, timed).await;
    let queue = receipt.queue().to_owned();
    let failed = match handled {
        Ok(Ok(Ok(()))) => None,
        Ok(Ok(Err(error))) => Some((error.then, error.reason())),
        Ok(Err(_)) => Some((Then::Retry(None), "the handler panicked".to_owned())),
        Err(limit) => {
            let reason = format!("the handler took longer than {limit:?}");
            Some((Then::Retry(None), reason))
        }
    };
    if let Some((then, reason)) = &failed {
        let attempt = receipt.attempt();
        tracing::warn!(queue, attempt, ?then, reason, "an element was not handled");
    }
    if let Err(error) = conclude(receipt, failed).await {
        tracing::warn!(queue, %error, "an element may be delivered again");
    }
}

async fn conclude(mut receipt: Receipt, failed: Option<(Then, String)>) -> Result<()> {
    match failed {
        None | Some((Then::Discard, _)) => receipt.conclude(Decision::Acknowledge).await,
        Some((Then::Reject, reason)) => receipt.reject(reason).await,
        Some((Then::Retry(delay), reason)) => {
            let delay = delay.unwrap_or_else(|| receipt.backoff());
            receipt.nack_because(delay, reason).await
        }
    }
}

/// Extends a lease again and again while `work` goes on.
async fn while_extending<R>(receipt: &Receipt, work: impl Future<Output = R>) -> R {
    let visibility = receipt.visibility();
    // A third of the lease was left at the hand-over.
    let mut ticks = time::interval(visibility / 4);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // The first is ready at once.
    ticks.tick().await;
    let extend = async {
        loop {
            ticks.tick().await;
            match receipt.extend(visibility).await {
                Ok(()) => {}
                Err(error @ Error::Late { .. }) => {
                    tracing::warn!(%error, "a handler is slower than its lease");
                    pending().await
                }
                Err(error) => tracing::warn!(%error, "cannot extend a lease"),
            }
        }
    };
    tokio::select! {
        biased;
        done = pin!(work) => done,
        () = extend => unreachable!("it never ends"),
    }
}

impl<T, H> fmt::Debug for Run<T, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("consumer", &self.consumer)
            .field("concurrency", &self.concurrency)
            .field("grace", &self.grace)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
