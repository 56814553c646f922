//! The operator of `docs/acl.md`.

use futures::{StreamExt, TryStreamExt};
use redisson_delayed_queue::{BlockingQueue, Schedule, Side};

use super::*;

#[tokio::test]
async fn an_operator_needs_the_documented_rights() {
    assert_least("Operator", async |redis| {
        let owner = orders_with(Client::builder().transfer(false), &redis.url()).await;
        let a = "a".to_owned();
        for value in ["a", "b", "a", "c"] {
            owner.offer(&value.to_owned(), LONG).await.unwrap();
        }
        let keyed = owner
            .offer_with(&a, under("17", LONG, IfPending::Keep))
            .await
            .unwrap();
        let mut failed = Failed::new();
        let builder = Client::builder().transfer(false);
        let Some((_client, queue, _)) = open(redis, &mut failed, builder).await else {
            return failed;
        };
        let failed = &mut failed;
        look(&queue, failed).await;
        change(&queue, &keyed.ticket, failed).await;
        for (call, error) in call_everything(&queue.destination()).await {
            assert!(matches!(error, Error::Denied { .. }), "{call}: {error:?}");
            failed.insert("destination()");
        }
        push(redis, &["first", "last"]).await;
        let target = queue.destination();
        for (from, to) in [(Side::First, Side::Last), (Side::Last, Side::First)] {
            let moved = target.move_to("orders", from, to, 1).await;
            note(failed, "destination().move_to", moved);
        }
        let moved = target
            .poll_last_and_offer_first_to("orders", Duration::ZERO)
            .await;
        note(failed, "destination().poll_last_and_offer_first_to", moved);
        note(
            failed,
            "destination().clear",
            queue.destination().clear().await,
        );
        whole(&queue, failed).await;
        std::mem::take(failed)
    })
    .await;
}

/// Calls everything that a handle of the target queue `orders` offers, but for what takes.
async fn call_everything(list: &BlockingQueue<String>) -> Vec<(&'static str, Error)> {
    let (a, all) = ("a".to_owned(), ["a", "b"].map(str::to_owned));
    let calls = [
        ("offer", list.offer(&a).await),
        ("offer_first", list.offer_first(&a).await),
        ("add_all", list.add_all(&all).await.map(drop)),
        ("add_all_first", list.add_all_first(&all).await.map(drop)),
        (
            "add_first_if_exists",
            list.add_first_if_exists(&all).await.map(drop),
        ),
        (
            "add_last_if_exists",
            list.add_last_if_exists(&all).await.map(drop),
        ),
        ("peek", list.peek().await.map(drop)),
        ("peek_last", list.peek_last().await.map(drop)),
        ("get", list.get(1).await.map(drop)),
        ("index_of", list.index_of(&a).await.map(drop)),
        ("last_index_of", list.last_index_of(&a).await.map(drop)),
        ("contains", list.contains(&a).await.map(drop)),
        ("contains_all", list.contains_all(&all).await.map(drop)),
        ("read_all", list.read_all().await.map(drop)),
        ("range", list.range(1..).await.map(drop)),
        ("iter", list.iter().try_collect::<Vec<_>>().await.map(drop)),
        ("len", list.len().await.map(drop)),
        ("is_empty", list.is_empty().await.map(drop)),
        ("remove", list.remove(&a).await.map(drop)),
        (
            "remove_last_occurrence",
            list.remove_last_occurrence(&a).await.map(drop),
        ),
        ("remove_all", list.remove_all(&all).await.map(drop)),
        ("retain_all", list.retain_all(&all).await.map(drop)),
        (
            "move_to",
            list.move_to("orders", Side::First, Side::Last, 1)
                .await
                .map(drop),
        ),
        ("trim", list.trim(..1).await),
    ];
    let failed = calls.into_iter();
    failed
        .filter_map(|(call, result)| Some((call, result.err()?)))
        .collect()
}

/// Calls that read.
async fn look(queue: &DelayedQueue<String>, failed: &mut Failed) {
    let a = "a".to_owned();
    let pending = queue.pending();
    note(failed, "pending().len", pending.len().await);
    note(failed, "pending().contains", pending.contains(&a).await);
    note(failed, "pending().peek", pending.peek().await);
    note(failed, "pending().peek_next", pending.peek_next().await);
    note(failed, "pending().next_due", pending.next_due().await);
    note(failed, "pending().read_all", pending.read_all().await);
    let entries: Vec<Result<_>> = pending.iter().collect().await;
    note(
        failed,
        "pending().iter",
        entries.into_iter().collect::<Result<Vec<_>>>(),
    );
    note(failed, "expired", queue.expired().await);
    note(failed, "is_paused", queue.is_paused().await);
    note(failed, "rate_limit", queue.rate_limit().await);
}

/// Calls that change elements and settings.
async fn change(queue: &DelayedQueue<String>, ticket: &Ticket, failed: &mut Failed) {
    let a = "a".to_owned();
    let pending = queue.pending();
    note(failed, "promote", queue.promote(ticket).await);
    note(failed, "cancel", queue.cancel(ticket).await);
    note(
        failed,
        "pending().remove",
        pending.remove(&"b".to_owned()).await,
    );
    note(
        failed,
        "pending().remove_all",
        pending.remove_all(&["b".to_owned()]).await,
    );
    note(
        failed,
        "pending().retain_all",
        pending.retain_all(std::slice::from_ref(&a)).await,
    );
    note(failed, "pending().poll", pending.poll().await);
    let moved = pending.poll_last_and_offer_first_to("orders").await;
    note(failed, "pending().poll_last_and_offer_first_to", moved);
    note(failed, "pending().clear", pending.clear().await);
    note(failed, "pause", queue.pause().await);
    note(failed, "resume", queue.resume().await);
    let limit = RateLimit::new(1, Duration::from_secs(1));
    note(
        failed,
        "set_rate_limit",
        queue.set_rate_limit(Some(limit)).await,
    );
    note(failed, "set_rate_limit", queue.set_rate_limit(None).await);
    let hourly = Schedule::every(LONG).unwrap();
    note(
        failed,
        "schedule",
        queue.schedule("hourly", &a, &hourly).await,
    );
    note(failed, "schedules", queue.schedules().await);
    note(failed, "unschedule", queue.unschedule("hourly").await);
}

/// Calls about the queue as a whole.
async fn whole(queue: &DelayedQueue<String>, failed: &mut Failed) {
    let object = queue.object();
    note(failed, "object().exists", object.exists().await);
    note(failed, "object().touch", object.touch().await);
    note(
        failed,
        "object().size_in_memory",
        object.size_in_memory().await,
    );
    note(failed, "object().expire", object.expire(LONG).await);
    note(
        failed,
        "object().remaining_ttl",
        object.remaining_ttl().await,
    );
    note(failed, "object().clear_expire", object.clear_expire().await);
    note(failed, "object().delete", object.delete().await);
}
