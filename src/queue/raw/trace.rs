//! Trace contexts, from offers to handlers.
//!
//! The target queue holds bare payloads, and a member may hold nothing that Java does not expect. So
//! the payload is all that an element has from its offer to its handler, whoever moves it, and the
//! context stands in a key of its own, named after the digest of the payload. Elements with equal
//! payloads share the key.

use std::time::Duration;

use tokio::time::timeout;
use tracing::Span;

use super::RawQueue;
use crate::error::{Result, Step};
use crate::offer::Element;
use crate::wire::command::size_of;

/// How long after the due time a context is kept.
const KEPT: Duration = Duration::from_secs(3_600);

/// How long a handler waits for its context.
const PATIENCE: Duration = Duration::from_millis(500);

impl RawQueue {
    /// Stores the trace context of an offer with each of these elements, if the client carries
    /// contexts. The offer does not fail if that fails.
    pub(super) async fn carry(&self, offer: &Span, elements: impl Iterator<Item = &Element>) {
        let Some(context) = self.session.options.carrier.inject(offer) else {
            return;
        };
        let mut contexts = redis::pipe();
        for element in elements {
            let kept = (self.session.delay_until(&self.keys, element.when) + KEPT).as_millis();
            contexts
                .cmd("SET")
                .arg(self.keys.trace(element.payload()))
                .arg(&context)
                .arg("PX")
                .arg(u64::try_from(kept).unwrap_or(u64::MAX))
                .ignore();
        }
        let bytes = contexts.cmd_iter().map(size_of).sum();
        let contexts = &contexts;
        let store = |mut connection| async move { contexts.query_async(&mut connection).await };
        let stored: Result<()> = self.script_of_size(Step::Offer, true, bytes, store).await;
        if let Err(error) = stored {
            tracing::debug!(queue = self.name(), %error, "cannot carry a trace");
        }
    }

    /// The key of the trace context of a delivery with this payload, if the client carries contexts.
    pub(crate) fn trace_key(&self, payload: &[u8]) -> Option<String> {
        let carries = self.session.options.carrier.is_some();
        carries.then(|| self.keys.trace(payload))
    }

    /// Gives the context under this key to the span of a handler, if there is one.
    pub(crate) async fn continue_trace(&self, handle: &Span, key: &str) {
        let mut get = redis::cmd("GET");
        let get = self.command::<Option<String>>(Step::Read, true, get.arg(key));
        match timeout(PATIENCE, get).await {
            Ok(Ok(Some(context))) => self.session.options.carrier.extract(handle, &context),
            Ok(Ok(None)) => {}
            Ok(Err(error)) => {
                tracing::debug!(queue = self.name(), %error, "cannot continue a trace");
            }
            Err(_) => tracing::debug!(queue = self.name(), "cannot continue a trace in time"),
        }
    }

    /// Deletes the context under this key, since its element is acknowledged. Redis deletes it anyway,
    /// some time later.
    pub(crate) async fn end_trace(&self, key: &str) {
        let mut unlink = redis::cmd("UNLINK");
        let unlinked: Result<()> = self.command(Step::Conclude, true, unlink.arg(key)).await;
        if let Err(error) = unlinked {
            tracing::debug!(queue = self.name(), %error, "a trace context stays for a while");
        }
    }
}
