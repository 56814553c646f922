//! `/api/findings` and `/api/queues/{queue}/findings`: what the doctor finds in servers and queues.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Serialize;

use crate::doctor::Finding;
use crate::serve::app::App;
use crate::serve::refusal::Answer;
use crate::serve::request::QueueName;

/// The worst comes first.
#[derive(Serialize)]
pub(in crate::serve) struct Findings {
    findings: Arc<Vec<Finding>>,
}

/// A quick look at the queue, shared by all who ask within half a minute.
pub(in crate::serve) async fn list(
    State(app): State<Arc<App>>,
    QueueName(name): QueueName,
) -> Answer<Json<Findings>> {
    let findings = app.readings.findings(&name).await?;
    Ok(Json(Findings { findings }))
}

/// A look at the servers, shared in the same way.
pub(in crate::serve) async fn of_servers(State(app): State<Arc<App>>) -> Answer<Json<Findings>> {
    let findings = app.readings.server_findings().await?;
    Ok(Json(Findings { findings }))
}
