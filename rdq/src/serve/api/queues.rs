//! `/api/queues`: counts of all queues and of one.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};

use crate::queue::stats::{AHEAD, Stats};
use crate::serve::app::App;
use crate::serve::examiner::Examiner;
use crate::serve::history::{Minute, Sample};
use crate::serve::readings::Overview;
use crate::serve::refusal::Answer;
use crate::serve::request::{Asked, QueueName};

/// All queues with their counts, and what the doctor has found in them so far.
pub(in crate::serve) async fn list(State(app): State<Arc<App>>) -> Answer<Json<Arc<Overview>>> {
    let overview = app.readings.overview().await?;
    Examiner::go_on(&app, &overview);
    Ok(Json(overview))
}

#[derive(Deserialize)]
pub(in crate::serve) struct Since {
    /// The page has the samples and the minutes up to this moment.
    #[serde(default)]
    since_ms: u64,
}

/// A queue with its counts now and lately.
#[derive(Serialize)]
pub(in crate::serve) struct Queue {
    #[serde(flatten)]
    stats: Arc<Stats>,
    note: String,
    /// The upper ends of the first elements of `due_ahead`.
    ahead_ms: [u64; AHEAD.len()],
    history: Vec<Sample>,
    minutes: Vec<Minute>,
}

pub(in crate::serve) async fn one(
    State(app): State<Arc<App>>,
    QueueName(name): QueueName,
    Asked(Since { since_ms }): Asked<Since>,
) -> Answer<Json<Queue>> {
    let stats = app.readings.stats(&name).await?;
    Ok(Json(Queue {
        note: stats.note(None),
        ahead_ms: AHEAD.map(|it| it.as_millis() as u64),
        history: app.readings.history(&name, since_ms),
        minutes: app.readings.minutes(&name, since_ms),
        stats,
    }))
}
