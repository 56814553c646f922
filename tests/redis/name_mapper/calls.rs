//! Every call about a queue.

use std::time::{Duration, SystemTime};

use futures::FutureExt;
use futures::future::BoxFuture;
#[cfg(feature = "periodic")]
use redisson_delayed_queue::Schedule;
use redisson_delayed_queue::{
    Client, DelayedQueue, IfPending, RateLimit, Result, Selector, Side, Ticket,
};

use super::orders;
use crate::fixture::{LONG, SOON, by_value, replacing, under};

/// Makes each call, after two elements were put into the target queue, and one was offered.
macro_rules! results {
    ($queue:ident, $value:ident, $($call:expr),* $(,)?) => {
        vec![$({
            prepare(&$queue, &$value).await;
            (stringify!($call), $call.await.map(drop))
        }),*]
    };
}

/// Puts two elements into the target queue, and offers one. Without rights this fails, as the call
/// should. The future is on the heap: those of all calls together are too large for a test's stack.
fn prepare<'a>(queue: &'a DelayedQueue<String>, value: &'a String) -> BoxFuture<'a, ()> {
    let prepared = async move {
        let _ = queue.destination().add_all([value, value]).await;
        let _ = queue.offer(value, LONG).await;
    };
    prepared.boxed()
}

/// The result of every call about the queue `orders`; the second queue is `other`.
pub(super) async fn every_call(client: &Client) -> Vec<(&'static str, Result<()>)> {
    let queue = orders(client);
    let (due, pending, object) = (queue.destination(), queue.pending(), queue.object());
    let selector = Selector::new([queue.clone()]);
    let (a, keep) = ("a".to_owned(), IfPending::Keep);
    let all = [a.clone()];
    let ticket = Ticket::from_bytes(&b"\x01i\x01\0\0\0\0\0\0\0a"[..]).unwrap();
    let late = SystemTime::now() + LONG;
    let limit = RateLimit::new(1_000_000, Duration::from_secs(1));
    let results = results![
        queue,
        a,
        queue.offer(&a, LONG),
        queue.offer_with(&a, under("key", LONG, keep)),
        queue.offer_with(&a, by_value(LONG, keep)),
        queue.offer_with(&a, replacing(LONG)),
        queue.offer_all([(&a, LONG), (&a, LONG)]),
        queue.cancel(&ticket),
        queue.cancel_all([&ticket]),
        queue.reschedule(&ticket, LONG),
        queue.reschedule_at(&ticket, late),
        queue.promote(&ticket),
        queue.take(),
        queue.poll(SOON),
        queue.try_take(),
        queue.take_many(2, SOON),
        async { queue.stream().next().await.unwrap() },
        queue.pause(),
        queue.is_paused(),
        queue.resume(),
        queue.set_rate_limit(Some(limit)),
        queue.rate_limit(),
        queue.set_rate_limit(None),
        queue.expired(),
        pending.len(),
        pending.is_empty(),
        pending.contains(&a),
        pending.contains_all(&all),
        pending.peek(),
        pending.peek_next(),
        pending.next_due(),
        pending.read_all(),
        async { pending.iter().next().await.unwrap() },
        async { pending.between(..late + LONG).next().await.unwrap() },
        pending.poll(),
        pending.poll_many(1),
        pending.poll_last_and_offer_first_to("other"),
        pending.remove(&a),
        pending.remove_all(&all),
        pending.retain_all(&all),
        pending.clear(),
        due.offer(&a),
        due.put(&a),
        due.offer_first(&a),
        due.add_all(&all),
        due.add_all_first(&all),
        due.add_first_if_exists(&all),
        due.add_last_if_exists(&all),
        due.take(),
        due.poll(SOON),
        due.try_take(),
        due.take_many(1, SOON),
        due.poll_many(1),
        due.drain_to(1),
        async { due.stream().next().await.unwrap() },
        due.take_last(),
        due.poll_last(SOON),
        due.try_take_last(),
        due.poll_last_many(1),
        due.poll_from_any(["other"], SOON),
        due.poll_last_from_any(["other"], SOON),
        due.take_last_and_offer_first_to("other"),
        due.poll_last_and_offer_first_to("other", SOON),
        due.move_to("other", Side::First, Side::Last, 1),
        due.len(),
        due.is_empty(),
        due.peek(),
        due.peek_last(),
        due.get(0),
        due.index_of(&a),
        due.last_index_of(&a),
        due.contains(&a),
        due.contains_all(&all),
        due.read_all(),
        due.range(0..2),
        async { due.iter().next().await.unwrap() },
        due.remove(&a),
        due.remove_up_to(&a, 1),
        due.remove_last_occurrence(&a),
        due.remove_all(&all),
        due.retain_all(&all),
        due.trim(0..1),
        due.clear(),
        selector.take(),
        selector.poll(SOON),
        selector.try_take(),
        selector.take_many(1, SOON),
        async { selector.stream().next().await.unwrap() },
        object.exists(),
        object.expire(LONG),
        object.expire_at(late),
        object.remaining_ttl(),
        object.clear_expire(),
        object.touch(),
        object.size_in_memory(),
        object.copy_to("copy"),
        object.copy_replacing("copy"),
        object.rename_if_absent("renamed"),
        object.rename("renamed"),
        object.delete(),
    ];
    #[cfg(feature = "periodic")]
    let results = [results, every_periodic_call(&queue).await].concat();
    results
}

#[cfg(feature = "periodic")]
async fn every_periodic_call(queue: &DelayedQueue<String>) -> Vec<(&'static str, Result<()>)> {
    let a = "a".to_owned();
    let hourly = Schedule::every(LONG).unwrap();
    results![
        queue,
        a,
        queue.schedule("hourly", &a, &hourly),
        queue.schedules(),
        queue.unschedule("hourly"),
    ]
}
