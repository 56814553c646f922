//! Handlers that are tower services.

use std::fmt;
use std::future::poll_fn;
use std::sync::Mutex;

use futures::FutureExt;
use futures::future::BoxFuture;
use tower_service::Service;

use super::{Consumer, DeliveryInfo, HandlerError, Run};
use crate::error::Result;
use crate::sync::lock;

/// An element on its way to a tower service.
#[derive(Clone)]
pub struct Request<T> {
    /// The value that was offered.
    pub value: T,
    /// What else is known about it.
    pub info: DeliveryInfo,
}

impl<T> fmt::Debug for Request<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Layers log requests, and the value may be private.
        f.debug_struct("Request")
            .field("info", &self.info)
            .finish_non_exhaustive()
    }
}

/// Handlers that are tower services.
impl<T: Send + 'static> Consumer<T> {
    /// Hands each element to a tower service, where [`run`](Self::run) calls a function. So layers for
    /// rate limits, timeouts, tracing and the like go around the handler.
    ///
    /// The service answers what a handler returns: `Ok(())`, or a [`HandlerError`] that decides what
    /// becomes of the element. If the service itself fails, as a layer for timeouts does, the element
    /// is delivered again after the consumer's [back-off](crate::ConsumerBuilder::backoff).
    ///
    /// Each element has a clone of the service, which it waits for until it is ready. Its lease is
    /// extended meanwhile.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use redisson_delayed_queue::{DelayedQueue, HandlerError, Request, Result};
    /// use tower::{BoxError, ServiceBuilder, service_fn};
    ///
    /// async fn charge(request: Request<String>) -> Result<Result<(), HandlerError>, BoxError> {
    ///     println!("attempt {} at {}", request.info.attempt(), request.value);
    ///     Ok(Ok(()))
    /// }
    ///
    /// # async fn run(orders: DelayedQueue<String>) -> Result<()> {
    /// let service = ServiceBuilder::new()
    ///     .concurrency_limit(4)
    ///     .timeout(Duration::from_secs(10))
    ///     .service(service_fn(charge));
    /// orders.consumer().build()?.run_service(16, service).await;
    /// # Ok(()) }
    /// ```
    pub fn run_service<S>(
        &self,
        concurrency: usize,
        service: S,
    ) -> Run<
        T,
        impl Fn(T, DeliveryInfo) -> BoxFuture<'static, Result<(), HandlerError>>
        + Send
        + Sync
        + use<S, T>,
    >
    where
        S: Service<Request<T>, Response = Result<(), HandlerError>> + Clone + Send + 'static,
        S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
        S::Future: Send,
    {
        // A service need not be `Sync`, so a mutex guards it while it is cloned.
        let service = Mutex::new(service);
        self.run(concurrency, move |value, info| {
            let service = lock(&service).clone();
            call(service, Request { value, info }).boxed()
        })
    }
}

async fn call<S, R>(mut service: S, request: R) -> Result<(), HandlerError>
where
    S: Service<R, Response = Result<(), HandlerError>>,
    S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let ready = poll_fn(|context| service.poll_ready(context)).await;
    ready.map_err(HandlerError::retry)?;
    match service.call(request).await {
        Ok(handled) => handled,
        Err(error) => Err(HandlerError::retry(error)),
    }
}
