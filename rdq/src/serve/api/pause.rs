//! `/api/queues/{queue}/pause` and `/resume`: whether Rust clients move and take.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde_json::Value;

use crate::queue::names::ensure_known;
use crate::serve::app::App;
use crate::serve::refusal::Answer;
use crate::serve::request::QueueName;

/// Holds all Rust clients back. Does nothing if the queue is paused already.
pub(in crate::serve) async fn pause(
    State(app): State<Arc<App>>,
    QueueName(name): QueueName,
) -> Answer<Json<Value>> {
    ensure_known(&app.session.client, std::slice::from_ref(&name)).await?;
    app.session.queue(&name)?.pause().await?;
    app.changed(&name, "pause", "the queue", true).await
}

/// Ends a pause, if there is one.
pub(in crate::serve) async fn resume(
    State(app): State<Arc<App>>,
    QueueName(name): QueueName,
) -> Answer<Json<Value>> {
    ensure_known(&app.session.client, std::slice::from_ref(&name)).await?;
    app.session.queue(&name)?.resume().await?;
    app.changed(&name, "resume", "the queue", true).await
}
