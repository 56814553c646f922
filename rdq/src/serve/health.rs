//! For service managers: whether this process lives, and whether it reaches Redis.
//!
//! Anybody may ask, so the answers say nothing else.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use futures::future::try_join_all;
use redisson_delayed_queue::redis::cmd;

use super::app::App;

/// Answers as long as the process does.
pub(super) async fn live() -> &'static str {
    "ok\n"
}

/// Answers `ok` if each master answers a `PING`.
pub(super) async fn ready(State(app): State<Arc<App>>) -> (StatusCode, &'static str) {
    let masters = app.session.client.masters();
    if masters.is_empty() {
        return (StatusCode::SERVICE_UNAVAILABLE, "no master is known\n");
    }
    let pings = masters.into_iter().map(|master| async move {
        let answer: Result<String, _> = master.query(&cmd("PING")).await;
        answer
    });
    match try_join_all(pings).await {
        Ok(_) => (StatusCode::OK, "ok\n"),
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "Redis cannot be reached\n"),
    }
}
