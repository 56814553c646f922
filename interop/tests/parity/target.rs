//! `RBlockingQueue` and `RBlockingDeque` beside `BlockingQueue`.

use std::time::Duration;

use crate::row::{Row, s, same};

#[rustfmt::skip] // A row is a line.
pub(crate) fn rows() -> Vec<Row> {
    vec![
        same("queue offer =new", async |q| q.target.offer(&s("new")).await.map(|()| true)),
        same("queue offer =new", async |q| q.target.offer(&s("new")).await.map(|()| true)).on_empty(),

        same("queue size", async |q| q.target.len().await),
        same("queue isEmpty", async |q| q.target.is_empty().await),
        same("queue isEmpty", async |q| q.target.is_empty().await).on_empty(),

        same("queue take", async |q| q.delayed.take().await),
        same("queue poll", async |q| q.delayed.try_take().await),
        same("queue poll", async |q| q.delayed.try_take().await).on_empty(),
        same("queue poll 5 SECONDS", async |q| q.delayed.poll(WAIT).await),
        same("queue poll 1 SECONDS", async |q| q.delayed.poll(SHORT_WAIT).await).on_empty(),
    ]
}

const WAIT: Duration = Duration::from_secs(5);

const SHORT_WAIT: Duration = Duration::from_secs(1);
