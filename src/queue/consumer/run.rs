//! A handler for the elements of one consumer.

use std::fmt;
use std::future::pending;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;

use super::{Consumer, DeliveryInfo, HandlerError, Workers};
use crate::error::Result;

/// A handler at work, made by [`Consumer::run`]. Await it to run it, or give it to [`Workers`].
///
/// - Each element has a task of its own. Up to `concurrency` of them run at a time.
/// - The next handler may begin while decisions about up to 64 elements are on their way to Redis. If
///   the process is killed then, these come again, although they were handled. Set
///   [`max_in_flight`](super::ConsumerBuilder::max_in_flight) to the concurrency to prevent that.
/// - `Ok(())` acknowledges the element. A [`HandlerError`] says what becomes of it.
/// - A handler that panics or exceeds the [`timeout`](Self::timeout) has failed this attempt.
/// - While a handler runs, its lease is extended, even if it blocks its thread. If that fails, because
///   Redis cannot be reached for longer than the
///   [visibility](super::ConsumerBuilder::visibility), another consumer may get the element while the
///   handler still runs.
/// - An element that the codec does not understand goes to the dead letters.
///
/// It ends when [`until`](Self::until) is ready or when the client is shut down. It then takes no
/// further elements, waits for the handlers that run, up to the [`grace`](Self::grace) period, and
/// drops the others: their elements come again after the back-off, and the attempts count. To end
/// the process afterwards, call [`Client::shutdown`](crate::Client::shutdown) when this future is
/// done: before that, acknowledgements could not be sent.
///
/// # Cancel safety
///
/// If the future is dropped, the running handlers are dropped at their next await, and their elements
/// come again after the [back-off](super::ConsumerBuilder::backoff). The attempts count. Elements
/// whose handler was not called yet are due again at once, and that attempt does not count.
#[must_use = "a handler runs only while this is awaited"]
pub struct Run<T, H> {
    pub(super) consumer: Consumer<T>,
    pub(super) concurrency: usize,
    pub(super) handler: H,
    pub(super) grace: Duration,
    pub(super) timeout: Option<Duration>,
    pub(super) until: BoxFuture<'static, ()>,
}

impl<T: 'static, H> Run<T, H> {
    pub(super) fn new(consumer: Consumer<T>, concurrency: usize, handler: H) -> Self {
        Self {
            consumer,
            concurrency: concurrency.max(1),
            handler,
            grace: Workers::GRACE,
            timeout: None,
            until: pending().boxed(),
        }
    }

    /// How long to wait in the end for handlers that still run. Default: 30 s. Among [`Workers`] their
    /// own [grace](Workers::grace) counts.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// How long a handler may run. A slower one is dropped, and has failed this attempt. The time in
    /// which a publisher waits for its broker does not count. Default: no limit.
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
        let grace = self.grace;
        Workers::new().with(self).grace(grace).into_future()
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
