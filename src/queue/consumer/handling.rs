//! Handling one element.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::watch;
use tokio::time::Instant;
use tracing::Instrument;

use super::handler::Then;
use super::trial::Trial;
use super::{DeliveryInfo, HandlerError, Nack, Receipt};
use crate::error::Error;
use crate::trace;
use crate::wire::script::Decision;

/// Runs the handler for one element, and tells Redis what is to become of it. Returns the wait for the
/// answer of Redis, unless it has come already.
pub(super) async fn handle<T, H, F>(
    value: T,
    mut receipt: Receipt,
    handler: Arc<H>,
    limit: Option<Duration>,
    running: watch::Receiver<()>,
) -> Option<BoxFuture<'static, ()>>
where
    H: Fn(T, DeliveryInfo) -> F,
    F: Future<Output = Result<(), HandlerError>>,
{
    receipt.hand_over();
    receipt.keep();
    let span = trace::handle(receipt.queue(), &receipt.id(), receipt.attempt());
    receipt.continue_trace(&span).await;
    let began = Instant::now();
    let info = DeliveryInfo::new(&receipt);
    let trial = receipt.trial().clone();
    let attempted = attempt(value, info, trial, handler, limit).instrument(span.clone());
    let attempted = tokio::select! {
        biased;
        attempted = attempted => attempted,
        () = receipt.trial().given_up(running) => Err((Then::Return, "it was not tried".to_owned())),
    };
    receipt.meter().handled(began.elapsed());
    let is_tried = !matches!(attempted, Err((Then::Return, _)));
    if is_tried && attempted.is_err() {
        trace::note_failure(&span);
    }
    let queue = receipt.queue().to_owned();
    if is_tried && let Err((then, reason)) = &attempted {
        let attempt = receipt.attempt();
        tracing::warn!(queue, attempt, ?then, reason, "an element was not handled");
    }
    let mut concluded = async move {
        if let Err(error) = conclude(receipt, attempted).await {
            tracing::warn!(queue, %error, "an element may be delivered again");
        }
    }
    .boxed();
    // The first poll sends the decision.
    let is_confirmed = (&mut concluded).now_or_never().is_some();
    (!is_confirmed).then_some(concluded)
}

/// How to go on with an element that was not handled, and why it was not.
type Failed = (Then, String);

async fn attempt<T, H, F>(
    value: T,
    info: DeliveryInfo,
    trial: Trial,
    handler: Arc<H>,
    limit: Option<Duration>,
) -> Result<(), Failed>
where
    H: Fn(T, DeliveryInfo) -> F,
    F: Future<Output = Result<(), HandlerError>>,
{
    let failed = |error: HandlerError| (error.then, error.reason());
    let attempt = async {
        let work = async {
            trial.begin();
            handler(value, info).await
        };
        let Some(limit) = limit else {
            return work.await.map_err(failed);
        };
        tokio::select! {
            biased;
            handled = work => handled.map_err(failed),
            () = trial.lasts(limit) => {
                let reason = format!("the handler took longer than {limit:?}");
                Err((Then::Retry(None), reason))
            }
        }
    };
    // All that the user wrote may panic: the handler before it returns its future, that future, also
    // when it is dropped, and the error.
    let attempt = AssertUnwindSafe(attempt).catch_unwind().await;
    attempt.unwrap_or_else(|_| Err((Then::Retry(None), "the handler panicked".to_owned())))
}

async fn conclude(receipt: Receipt, attempted: Result<(), Failed>) -> Result<(), Error> {
    match attempted {
        Ok(()) | Err((Then::Discard, _)) => receipt.ack().await,
        Err((Then::Reject, reason)) => receipt.reject(reason).await,
        Err((Then::Return, _)) => receipt.conclude(Decision::Return).await,
        Err((Then::Retry(delay), reason)) => {
            let delay = delay.unwrap_or_else(|| receipt.backoff_or_default());
            receipt.nack(Nack::after(delay).because(reason)).await
        }
    }
}

#[cfg(all(test, feature = "amqp"))]
mod tests {
    use tokio::time::sleep;

    use super::*;

    const LIMIT: Duration = Duration::from_secs(1);

    /// How a handler ends that waits so long for what it needs, and then works for so long.
    async fn attempted(waits: Duration, works: Duration) -> Result<(), Failed> {
        let trial = Trial::default();
        let work = async {
            trial.begin();
            trial.wait_for(sleep(waits)).await;
            sleep(works).await;
        };
        tokio::select! {
            biased;
            () = work => Ok(()),
            () = trial.lasts(LIMIT) => Err((Then::Retry(None), String::new())),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_time_limit_of_a_handler_begins_when_it_can_try() {
        for waits in [LIMIT / 2, 10 * LIMIT] {
            assert!(attempted(waits, LIMIT * 9 / 10).await.is_ok());
            assert!(attempted(waits, LIMIT * 11 / 10).await.is_err());
        }
    }
}
