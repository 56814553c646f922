//! `RQueue` and `RDeque` beside `BlockingQueue`.

use crate::row::{Row, s, same};

#[rustfmt::skip] // A row is a line.
pub(crate) fn rows() -> Vec<Row> {
    vec![
        same("queue offer =new", async |q| q.target.offer(&s("new")).await.map(|()| true)),
        same("queue offer =new", async |q| q.target.offer(&s("new")).await.map(|()| true)).on_empty(),

        same("queue size", async |q| q.target.len().await),
        same("queue isEmpty", async |q| q.target.is_empty().await),
        same("queue isEmpty", async |q| q.target.is_empty().await).on_empty(),
    ]
}
