//! Counts the queues once a minute, so that the page of a queue shows what happened before somebody opened it.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use super::app::App;

/// Counts until it is dropped.
pub(super) async fn record(app: Arc<App>) {
    let mut minutes = interval(Duration::from_secs(60));
    minutes.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        minutes.tick().await;
        app.readings.record().await;
    }
}
