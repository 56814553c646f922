//! The calls of `RBlockingQueue` and `RBlockingDeque` that take elements.

use std::time::Duration;

use crate::row::{Row, same};

#[rustfmt::skip] // A row is a line.
pub(crate) fn rows() -> Vec<Row> {
    vec![
        same("queue take", async |q| q.delayed.take().await),
        same("queue poll", async |q| q.delayed.try_take().await),
        same("queue poll", async |q| q.delayed.try_take().await).on_empty(),
        same("queue poll 5 SECONDS", async |q| q.delayed.poll(WAIT).await),
        same("queue poll 1 SECONDS", async |q| q.delayed.poll(SHORT_WAIT).await).on_empty(),
    ]
}

const WAIT: Duration = Duration::from_secs(5);

const SHORT_WAIT: Duration = Duration::from_secs(1);
