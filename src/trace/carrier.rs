//! Trace contexts on their way from offers to handlers.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tracing::Span;

/// Reads the trace context of a span, and gives it to another.
///
/// With such a carrier ([`ClientBuilder::trace_carrier`](crate::ClientBuilder::trace_carrier)) the
/// trace in which an element was offered goes on in its handler. The carrier knows the tracing
/// system; this crate only carries a text. `examples/otel.rs` has one for OpenTelemetry, in twenty
/// lines. If it panics, the element goes its way without a context.
pub trait TraceCarrier: Send + Sync + 'static {
    /// Returns the context of this span as text, such as a W3C `traceparent`. Return `None` for traces
    /// that are not sampled: the offer then carries no context.
    fn inject(&self, offer: &Span) -> Option<String>;

    /// Makes this context the parent of the span, or links it. The span has not been entered yet.
    ///
    /// The text comes from Redis. Ignore a text that is not a context.
    fn extract(&self, handle: &Span, context: &str);
}

/// The carrier of a client, if it has one.
#[derive(Clone, Default)]
pub(crate) struct Carrier(Option<Arc<dyn TraceCarrier>>);

impl Carrier {
    pub(crate) fn new(carrier: impl TraceCarrier) -> Self {
        Self(Some(Arc::new(carrier)))
    }

    pub(crate) fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// The context of this span, if there is a carrier and it returns one.
    pub(crate) fn inject(&self, offer: &Span) -> Option<String> {
        self.call(|carrier| carrier.inject(offer)).flatten()
    }

    pub(crate) fn extract(&self, handle: &Span, context: &str) {
        self.call(|carrier| carrier.extract(handle, context));
    }

    /// Calls the carrier. Without one, or if it panics, returns `None`.
    fn call<T>(&self, call: impl FnOnce(&dyn TraceCarrier) -> T) -> Option<T> {
        let carrier = self.0.as_deref()?;
        let returned = catch_unwind(AssertUnwindSafe(|| call(carrier)));
        if returned.is_err() {
            tracing::warn!("the trace carrier panicked");
        }
        returned.ok()
    }
}

impl fmt::Debug for Carrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Carrier").field(&self.is_some()).finish()
    }
}
