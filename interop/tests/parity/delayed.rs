//! `RDelayedQueue` beside `DelayedQueue`.

use std::time::Duration;

use crate::row::{Row, differs, s, same};

#[rustfmt::skip] // A row is a line.
pub(crate) fn rows() -> Vec<Row> {
    vec![
        same("delayed offer =new 100 SECONDS", async |q| q.delayed.offer(&s("new"), NEXT).await.map(drop)),
        same("delayed offer =new 100 SECONDS", async |q| q.delayed.offer(&s("new"), NEXT).await.map(drop)).on_empty(),
        same("delayed offer =a 10 HOURS", async |q| q.delayed.offer(&s("a"), LAST).await.map(drop)),

        same("delayed contains =a", async |q| q.delayed.pending().contains(&s("a")).await),
        same("delayed contains =", async |q| q.delayed.pending().contains(&s("")).await),
        same("delayed contains =t", async |q| q.delayed.pending().contains(&s("t")).await),
        same("delayed containsAll [=a,=b,=]", async |q| q.delayed.pending().contains_all(&["a", "b", ""].map(s)).await),
        same("delayed containsAll [=a,=t]", async |q| q.delayed.pending().contains_all(&["a", "t"].map(s)).await),
        same("delayed containsAll []", async |q| q.delayed.pending().contains_all(&[]).await),
        same("delayed size", async |q| q.delayed.pending().len().await),
        same("delayed isEmpty", async |q| q.delayed.pending().is_empty().await),
        same("delayed isEmpty", async |q| q.delayed.pending().is_empty().await).on_empty(),
        same("delayed readAll", async |q| q.delayed.pending().read_all().await),
        same("delayed readAll", async |q| q.delayed.pending().read_all().await).on_empty(),
        same("delayed toArray", async |q| q.delayed.pending().read_all().await),
        same("delayed peek", async |q| q.delayed.pending().peek().await),
        same("delayed peek", async |q| q.delayed.pending().peek().await).on_empty(),
        same("delayed element", async |q| q.delayed.pending().peek().await),
        differs("delayed element", async |q| q.delayed.pending().peek().await, "an empty queue is no error", ["answer: err NoSuchElementException", "answer: nil"]).on_empty(),

        same("delayed remove =a", async |q| q.delayed.pending().remove(&s("a")).await),
        same("delayed remove =", async |q| q.delayed.pending().remove(&s("")).await),
        same("delayed remove =ü\u{1f980}", async |q| q.delayed.pending().remove(&s("ü\u{1f980}")).await),
        same("delayed remove =t", async |q| q.delayed.pending().remove(&s("t")).await),
        same("delayed removeAll [=a,=c,=z]", async |q| q.delayed.pending().remove_all(&["a", "c", "z"].map(s)).await.map(|n| n > 0)),
        same("delayed removeAll [=a]", async |q| q.delayed.pending().remove_all(&["a"].map(s)).await.map(|n| n > 0)),
        same("delayed removeAll [=t,=z]", async |q| q.delayed.pending().remove_all(&["t", "z"].map(s)).await.map(|n| n > 0)),
        same("delayed removeAll []", async |q| q.delayed.pending().remove_all(&[]).await.map(|n| n > 0)),
        differs("delayed retainAll [=a,=]", async |q| q.delayed.pending().retain_all(&["a", ""].map(s)).await.map(|n| n > 0), RETAIN, ["members: differ; timeouts: b@1h ü🦀@2h a@3h ''@4h a@5h c@6h", "timeouts: a@3h ''@4h a@5h"]),
        same("delayed retainAll [=a,=b,=,=ü\u{1f980},=c]", async |q| q.delayed.pending().retain_all(&["a", "b", "", "ü\u{1f980}", "c"].map(s)).await.map(|n| n > 0)),
        differs("delayed retainAll [=z]", async |q| q.delayed.pending().retain_all(&["z"].map(s)).await.map(|n| n > 0), RETAIN, ["members: differ; timeouts: b@1h ü🦀@2h a@3h ''@4h a@5h c@6h", ""]),
        same("delayed retainAll []", async |q| q.delayed.pending().retain_all(&[]).await.map(|n| n > 0)),
        same("delayed clear", async |q| q.delayed.pending().clear().await),
        same("delayed clear", async |q| q.delayed.pending().clear().await).on_empty(),
    ]
}

/// Before everything else.
const NEXT: Duration = Duration::from_secs(100);

/// After everything else.
const LAST: Duration = Duration::from_secs(36_000);

const RETAIN: &str = "Redisson forgets the set, so that what was removed is delivered nevertheless";
