//! Examines the queues of the list in the background, so that the list says which have findings.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Mutex;
use tokio::time::sleep;

use super::app::App;
use super::readings::Overview;

/// Examines one queue at a time, and none while nobody looks at the list.
#[derive(Debug, Default)]
pub(super) struct Examiner {
    turn: Arc<Mutex<()>>,
}

impl Examiner {
    /// Examines queues until the list is read again, unless somebody does already.
    pub(super) fn go_on(app: &Arc<App>, overview: &Overview) {
        let Ok(turn) = Arc::clone(&app.examiner.turn).try_lock_owned() else {
            return;
        };
        let (app, names) = (Arc::clone(app), app.readings.unexamined(overview));
        tokio::spawn(async move {
            let begin = Instant::now();
            for name in names {
                let this = Instant::now();
                // The page of the queue says what failed.
                _ = app.readings.findings(&name).await;
                // A Redis that is slow has half of the time for others.
                sleep(this.elapsed()).await;
                if begin.elapsed() >= TURN {
                    break;
                }
            }
            drop(turn);
        });
    }
}

/// A little less than the page waits before it reads the list again.
const TURN: Duration = Duration::from_millis(1_500);
