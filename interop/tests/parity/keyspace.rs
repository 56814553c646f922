//! What is not yet due, taken or kept as a whole: `RDelayedQueue` beside `DelayedQueue`.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::row::{
    Row,
    Start::{Alone, Expiring, Pending},
    differs, same,
};

#[rustfmt::skip] // A row is a line.
pub(crate) fn rows() -> Vec<Row> {
    vec![
        same("delayed poll", async |q| q.delayed.pending().poll().await),
        same("delayed poll", async |q| q.delayed.pending().poll().await).on_empty(),
        same("delayed remove", async |q| q.delayed.pending().poll().await),
        differs("delayed remove", async |q| q.delayed.pending().poll().await, "an empty queue is no error", ["answer: err NoSuchElementException", "answer: nil"]).on_empty(),
        same("delayed poll 3", async |q| q.delayed.pending().poll_many(3).await),
        same("delayed poll 100", async |q| q.delayed.pending().poll_many(100).await),
        same("delayed poll 3", async |q| q.delayed.pending().poll_many(3).await).on_empty(),
        same("delayed pollLastAndOfferFirstTo :{other}", async |q| q.delayed.pending().poll_last_and_offer_first_to(&q.other).await),
        same("delayed pollLastAndOfferFirstTo :{other}", async |q| q.delayed.pending().poll_last_and_offer_first_to(&q.other).await).on_empty(),

        same("delayed delete", async |q| q.delayed.pending().clear().await.map(|()| true)),
        differs("delayed delete", async |q| q.delayed.object().delete().await, NOT_DUE_ONLY, ["target: t u '' t ü🦀 a v", ""]),
        same("delayed delete", async |q| q.delayed.object().delete().await).on_empty(),
        differs("delayed expire 3600000ms", async |q| q.delayed.object().expire(HOUR).await, NOT_DUE_ONLY, ["", "target expiry: 60 min"]),
        same("delayed expire 3600000ms", async |q| q.delayed.object().expire(HOUR).await).on(Pending),
        same("delayed expire 3600000ms", async |q| q.delayed.object().expire(HOUR).await).on_empty(),
        same("delayed expire 4102444800000unix", async |q| q.delayed.object().expire_at(year_2100()).await).on(Pending),
        differs("delayed clearExpire", async |q| q.delayed.object().clear_expire().await, NOT_DUE_ONLY, ["target expiry: 90 min", ""]).on(Expiring),
        same("delayed clearExpire", async |q| q.delayed.object().clear_expire().await),
        same("delayed remainTimeToLive", async |q| q.delayed.object().remaining_ttl().await.map(minutes)).on(Expiring).reading(as_minutes),
        same("delayed remainTimeToLive", async |q| q.delayed.object().remaining_ttl().await.map(minutes)).reading(as_minutes),
        same("delayed isExists", async |q| q.delayed.object().exists().await),
        differs("delayed isExists", async |q| q.delayed.object().exists().await, DUE_ONLY, ["answer: false", "answer: true"]).on(Pending),
        same("delayed isExists", async |q| q.delayed.object().exists().await).on_empty(),
        same("delayed touch", async |q| q.delayed.object().touch().await),
        differs("delayed touch", async |q| q.delayed.object().touch().await, DUE_ONLY, ["answer: false", "answer: true"]).on(Pending),
        same("delayed sizeInMemory", async |q| q.delayed.object().size_in_memory().await.map(|n| n > 0)).reading(is_positive),
        same("delayed sizeInMemory", async |q| q.delayed.object().size_in_memory().await.map(|n| n > 0)).on_empty().reading(is_positive),
        differs("delayed rename :{other}", async |q| q.delayed.object().rename(&q.other).await.map(drop), DUE_ONLY, ["ordering: a b '' ü🦀 a c; timeouts: b@1h ü🦀@2h a@3h ''@4h a@5h c@6h", "other messages: head; other ordering: a b '' ü🦀 a c; other timeouts: b@1h ü🦀@2h a@3h ''@4h a@5h c@6h"]),
        same("delayed renamenx :{other}", async |q| q.delayed.object().rename_if_absent(&q.other).await),
        differs("delayed renamenx :{other}", async |q| q.delayed.object().rename_if_absent(&q.other).await, DUE_ONLY, ["ordering: a b '' ü🦀 a c; timeouts: b@1h ü🦀@2h a@3h ''@4h a@5h c@6h", "other messages: head; other ordering: a b '' ü🦀 a c; other timeouts: b@1h ü🦀@2h a@3h ''@4h a@5h c@6h"]).on(Alone),
        differs("delayed copy :{other}", async |q| q.delayed.object().copy_to(&q.other).await, COPY_HALF, ["answer: true; other members: differ; other timeouts: b@1h ü🦀@2h a@3h ''@4h a@5h c@6h", "answer: false"]).since("3.35.0"),
        differs("delayed copy :{other}", async |q| q.delayed.object().copy_to(&q.other).await, COPY, ["other members: differ; other target: packed(a) packed(b) packed('') packed(ü🦀) packed(a) packed(c)", "other messages: head; other ordering: a b '' ü🦀 a c; other target: t u '' t ü🦀 a v"]).on(Alone).since("3.35.0"),
        differs("delayed copyAndReplace :{other}", async |q| q.delayed.object().copy_replacing(&q.other).await, COPY, ["other members: differ; other target: packed(a) packed(b) packed('') packed(ü🦀) packed(a) packed(c)", "other messages: head; other ordering: a b '' ü🦀 a c; other target: t u '' t ü🦀 a v"]).since("3.35.0"),
    ]
}

const NOT_DUE_ONLY: &str = "Redisson leaves out what is due, and this crate means the whole queue";

const DUE_ONLY: &str = "Redisson means what is due only, by an oversight";

const COPY: &str = "Redisson copies the members to the target, where they look like elements";

const COPY_HALF: &str =
    "Redisson copies only the set where the target is in use, and calls that a success";

const HOUR: Duration = Duration::from_secs(3_600);

fn year_2100() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(4_102_444_800)
}

/// The nearest number of minutes.
fn minutes(left: Option<Duration>) -> Option<i64> {
    left.map(|left| (left.as_millis() as i64 + 30_000) / 60_000)
}

/// Redisson's milliseconds as [`minutes`].
fn as_minutes(answer: String) -> String {
    match answer.parse() {
        Ok(-1) => "nil".to_owned(),
        Ok(millis @ 0..) => ((millis + 30_000) / 60_000_i64).to_string(),
        _ => answer,
    }
}

fn is_positive(answer: String) -> String {
    answer
        .parse::<u64>()
        .map_or(answer, |bytes| (bytes > 0).to_string())
}
