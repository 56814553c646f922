//! Handling one element.

use std::future::pending;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::time::{self, Instant, MissedTickBehavior, timeout};

use super::handler::Then;
use super::{DeliveryInfo, HandlerError, Receipt};
use crate::error::{Error, Result};
use crate::wire::script::Decision;

/// Runs the handler for one element, and tells Redis what is to become of it. Returns the wait for the
/// answer of Redis, unless it has come already.
pub(super) async fn handle<T, H, F>(
    value: T,
    mut receipt: Receipt,
    handler: Arc<H>,
    limit: Option<Duration>,
) -> Option<BoxFuture<'static, ()>>
where
    H: Fn(T, DeliveryInfo) -> F,
    F: Future<Output = Result<(), HandlerError>>,
{
    receipt.hand_over();
    let info = DeliveryInfo::new(&receipt);
    // The handler itself may panic before it returns its future.
    let work = AssertUnwindSafe(async { handler(value, info).await }).catch_unwind();
    let failed = while_extending(&receipt, judge(work, limit)).await.err();
    let queue = receipt.queue().to_owned();
    if let Some((then, reason)) = &failed {
        let attempt = receipt.attempt();
        tracing::warn!(queue, attempt, ?then, reason, "an element was not handled");
    }
    let mut concluded = async move {
        if let Err(error) = conclude(receipt, failed).await {
            tracing::warn!(queue, %error, "an element may be delivered again");
        }
    }
    .boxed();
    // The first poll sends the decision.
    let is_confirmed = (&mut concluded).now_or_never().is_some();
    (!is_confirmed).then_some(concluded)
}

/// Waits for a handler. If it did not handle the element, the error says what is to become of that,
/// and why.
async fn judge(
    work: impl Future<Output = thread::Result<Result<(), HandlerError>>>,
    limit: Option<Duration>,
) -> Result<(), (Then, String)> {
    let ended = match limit {
        Some(limit) => timeout(limit, work).await.map_err(|_| {
            let reason = format!("the handler took longer than {limit:?}");
            (Then::Retry(None), reason)
        })?,
        None => work.await,
    };
    match ended {
        Ok(handled) => handled.map_err(|error| (error.then, error.reason())),
        Err(_) => Err((Then::Retry(None), "the handler panicked".to_owned())),
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
    // The hand-over left at least a third of the lease, so the first extension comes in time.
    let period = visibility / 4;
    // A tick that is ready at once would cost up to a millisecond before `work` begins.
    let mut ticks = time::interval_at(Instant::now() + period, period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
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
