//! The calls of `RBlockingQueue` and `RBlockingDeque` that take elements.

use std::time::Duration;

use crate::row::{Row, Start::OtherOnly, differs, same};

#[rustfmt::skip] // A row is a line.
pub(crate) fn rows() -> Vec<Row> {
    vec![
        same("queue take", async |q| q.delayed.take().await),
        same("queue take", async |q| q.target.take().await),
        same("deque takeFirst", async |q| q.target.take().await),
        same("deque takeLast", async |q| q.target.take_last().await),
        same("queue poll", async |q| q.delayed.try_take().await),
        same("queue poll", async |q| q.delayed.try_take().await).on_empty(),
        same("queue poll", async |q| q.target.try_take().await),
        same("queue poll", async |q| q.target.try_take().await).on_empty(),
        same("queue remove", async |q| q.target.try_take().await),
        differs("queue remove", async |q| q.target.try_take().await, EMPTY, NO_ELEMENT).on_empty(),
        same("deque pollFirst", async |q| q.target.try_take().await),
        same("deque pop", async |q| q.target.try_take().await),
        same("deque removeFirst", async |q| q.target.try_take().await),
        same("deque pollLast", async |q| q.target.try_take_last().await),
        same("deque pollLast", async |q| q.target.try_take_last().await).on_empty(),
        same("deque removeLast", async |q| q.target.try_take_last().await),
        differs("deque removeLast", async |q| q.target.try_take_last().await, EMPTY, NO_ELEMENT).on_empty(),
        same("queue poll 5 SECONDS", async |q| q.delayed.poll(WAIT).await),
        same("queue poll 1 SECONDS", async |q| q.delayed.poll(SHORT_WAIT).await).on_empty(),
        same("queue poll 5 SECONDS", async |q| q.target.poll(WAIT).await),
        same("queue poll 1 SECONDS", async |q| q.target.poll(SHORT_WAIT).await).on_empty(),
        same("deque pollFirst 5 SECONDS", async |q| q.target.poll(WAIT).await),
        same("deque pollLast 5 SECONDS", async |q| q.target.poll_last(WAIT).await),
        same("deque pollLast 1 SECONDS", async |q| q.target.poll_last(SHORT_WAIT).await).on_empty(),

        same("queue poll 3", async |q| q.target.poll_many(3).await),
        same("queue poll 100", async |q| q.target.poll_many(100).await),
        same("queue poll 3", async |q| q.target.poll_many(3).await).on_empty(),
        same("deque pollFirst 3", async |q| q.target.poll_many(3).await),
        same("deque pollLast 3", async |q| q.target.poll_last_many(3).await),
        same("deque pollLast 3", async |q| q.target.poll_last_many(3).await).on_empty(),
        same("queue drainTo []", async |q| q.target.drain_to(usize::MAX).await),
        same("queue drainTo []", async |q| q.target.drain_to(usize::MAX).await).on_empty(),
        same("queue drainTo [] 3", async |q| q.target.drain_to(3).await),
        same("queue drainTo [] 100", async |q| q.target.drain_to(100).await),
        same("deque drainTo [] 3", async |q| q.target.drain_to(3).await),

        // Rust also returns the name of the queue.
        same("queue pollFromAny 5 SECONDS (:{other})", async |q| q.target.poll_from_any([&q.other], WAIT).await.map(value)),
        same("queue pollFromAny 5 SECONDS (:{other})", async |q| q.target.poll_from_any([&q.other], WAIT).await.map(value)).on(OtherOnly),
        same("queue pollFromAny 1 SECONDS (:{other})", async |q| q.target.poll_from_any([&q.other], SHORT_WAIT).await.map(value)).on_empty(),
        differs("deque pollFromAny 1 SECONDS (:{other})", async |q| q.target.poll_from_any([&q.other], WAIT).await.map(value), NAMES_IGNORED, FROM_ANY).on(OtherOnly),
        differs("deque pollFirstFromAny 1 SECONDS (:{other})", async |q| q.target.poll_from_any([&q.other], WAIT).await.map(value), NAMES_IGNORED, FROM_ANY).on(OtherOnly),
        same("deque pollLastFromAny 5 SECONDS (:{other})", async |q| q.target.poll_last_from_any([&q.other], WAIT).await.map(value)),
        same("deque pollLastFromAny 5 SECONDS (:{other})", async |q| q.target.poll_last_from_any([&q.other], WAIT).await.map(value)).on(OtherOnly),

        same("queue takeLastAndOfferFirstTo :{other}", async |q| q.target.take_last_and_offer_first_to(&q.other).await),
        same("queue pollLastAndOfferFirstTo :{other}", async |q| q.target.poll_last_and_offer_first_to(&q.other, Duration::ZERO).await),
        same("queue pollLastAndOfferFirstTo :{other}", async |q| q.target.poll_last_and_offer_first_to(&q.other, Duration::ZERO).await).on(OtherOnly),
        same("queue pollLastAndOfferFirstTo :{other} 5 SECONDS", async |q| q.target.poll_last_and_offer_first_to(&q.other, WAIT).await),
        same("queue pollLastAndOfferFirstTo :{other} 1 SECONDS", async |q| q.target.poll_last_and_offer_first_to(&q.other, SHORT_WAIT).await).on(OtherOnly),
    ]
}

/// What was taken, without the name of its queue.
fn value(taken: Option<(String, String)>) -> Option<String> {
    taken.map(|(_name, value)| value)
}

const WAIT: Duration = Duration::from_secs(5);

const SHORT_WAIT: Duration = Duration::from_secs(1);

const EMPTY: &str = "an empty queue is no error";

const NO_ELEMENT: [&str; 2] = ["answer: err NoSuchElementException", "answer: nil"];

const NAMES_IGNORED: &str =
    "Redisson's deque ignores the names and waits for its own elements only";

const FROM_ANY: [&str; 2] = ["answer: nil; other target: o", "answer: o"];
