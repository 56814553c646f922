//! The roles of `docs/acl.md`: their rights are enough, and each of them is needed.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use redisson_delayed_queue::{Schedule, Side};

use super::lost_claim::{CLAIM, Unlucky};
use super::*;
use crate::fixture::{SUBCOMMAND_RULES, documented_section, push, server_ms};
use crate::list::call_everything;

mod acknowledging;

/// What failed because a right was missing: calls and events by name.
type Failed = BTreeSet<&'static str>;

/// The views of a queue. If more than two calls of one fail, the guide names the view.
const VIEWS: [&str; 4] = ["dead_letters()", "destination()", "object()", "pending()"];

/// A section of `docs/acl.md`.
struct Role {
    rights: Vec<&'static str>,
    /// What fails without a right. A right that only makes things worse has a sentence instead.
    without: HashMap<String, Result<Failed, &'static str>>,
}

impl Role {
    fn read(heading: &str) -> Self {
        let rows = documented_section(heading).lines().filter_map(|row| {
            let (rights, without) = row.strip_prefix("| `")?.split_once(" | ")?;
            Some((rights, without.strip_suffix(" |")?))
        });
        let mut without = HashMap::new();
        for (rights, failed) in rows {
            // A list of names, or a sentence.
            let is_list = failed.starts_with('`') && failed.ends_with('`');
            let failed = match is_list {
                true => Ok(failed.split('`').skip(1).step_by(2).collect()),
                false => Err(failed),
            };
            // A table escapes the bar of a subcommand.
            let rights = rights.replace("\\|", "|");
            for right in rights.split('`').step_by(2).filter(|it| !it.is_empty()) {
                let earlier = without.insert(right.to_owned(), failed.clone());
                assert!(earlier.is_none(), "{right} has two rows");
            }
        }
        let rights = documented_rights(heading);
        Self { rights, without }
    }
}

/// Plays a role with all its rights, and without each of them.
async fn assert_least(heading: &str, play: impl AsyncFn(&RedisServer) -> Failed) {
    let role = Role::read(heading);
    let redis = RedisServer::start().await;
    let failed = case(&redis, &role.rights, &play).await;
    assert_eq!(failed, Failed::new(), "with all rights");
    if lacks((7, 0), SUBCOMMAND_RULES) {
        return;
    }
    assert_eq!(denials(&redis).await, BTreeSet::new(), "with all rights");
    let mut wrong = BTreeMap::new();
    for right in &role.rights {
        let without = role.without.get(*right);
        if matches!(without, Some(Err(sentence)) if sentence.starts_with("Not tested")) {
            continue;
        }
        let others = role.rights.iter().copied().filter(|it| it != right);
        let others: Vec<&str> = others.collect();
        let (mut failed, mut is_denied) = (Failed::new(), false);
        let is_documented = |failed: &Failed, is_denied| match without {
            Some(Ok(documented)) => failed == documented,
            Some(Err(_)) => failed.is_empty() && is_denied,
            None => false,
        };
        // On a busy machine calls are repeated, which takes more rights. So a call may fail by chance
        // that the page does not name, and then this begins anew.
        for _ in 0..8 {
            if matches!(without, Some(Ok(documented)) if !failed.is_subset(documented)) {
                failed.clear();
            }
            failed.extend(case(&redis, &others, &play).await);
            is_denied |= !denials(&redis).await.is_empty();
            if is_documented(&failed, is_denied) {
                break;
            }
        }
        if !is_documented(&failed, is_denied) {
            wrong.insert(*right, (failed, is_denied));
        }
    }
    assert!(wrong.is_empty(), "without these fails: {wrong:#?}");
    let rows = role.without.keys().map(String::as_str);
    assert_eq!(
        rows.collect::<BTreeSet<_>>(),
        role.rights.iter().copied().collect()
    );
}

/// Plays a role with these rights on an empty server.
async fn case(
    redis: &RedisServer,
    rights: &[&str],
    play: &impl AsyncFn(&RedisServer) -> Failed,
) -> Failed {
    let mut connection = redis.connection().await;
    for command in [
        &["FLUSHALL"][..],
        &["SCRIPT", "FLUSH"],
        &["CONFIG", "RESETSTAT"],
    ] {
        let mut empty = redis::cmd(command[0]);
        let () = empty
            .arg(&command[1..])
            .query_async(&mut connection)
            .await
            .unwrap();
    }
    acl(&mut connection, &["LOG", "RESET"]).await;
    allow(redis, rights).await;
    let mut failed = play(redis).await;
    for view in VIEWS {
        let of_view = |it: &&'static str| it.starts_with(view);
        if failed.iter().copied().filter(of_view).count() > 2 || failed.contains(view) {
            failed.retain(|it| !of_view(it));
            failed.insert(view);
        }
    }
    failed
}

/// What Redis has denied, but for `CLIENT SETINFO`, which the driver sends and nobody needs.
async fn denials(redis: &RedisServer) -> BTreeSet<String> {
    let mut log = redis::cmd("ACL");
    let log: Vec<HashMap<String, redis::Value>> = log
        .arg("LOG")
        .query_async(&mut redis.connection().await)
        .await
        .unwrap();
    let objects = log
        .into_iter()
        .map(|mut entry| entry.remove("object").unwrap());
    let objects = objects.map(|it| redis::from_redis_value::<String>(it).unwrap());
    objects.filter(|it| it != "client|setinfo").collect()
}

/// Notes a call that is denied. It may fail in no other way.
#[track_caller]
fn note<T: std::fmt::Debug>(
    failed: &mut Failed,
    call: &'static str,
    result: Result<T>,
) -> Option<T> {
    match result {
        Ok(done) => Some(done),
        Err(Error::Denied { .. }) => {
            failed.insert(call);
            None
        }
        Err(error) => panic!("{call}: {error:?}"),
    }
}

/// As `note`, for an offer that waits for a replica. There is none: the right to wait shows in what
/// the error says.
#[track_caller]
fn note_durable(failed: &mut Failed, call: &'static str, result: Result<Offered>) {
    match result {
        Err(Error::NotDurable { source: None, .. }) => {}
        Err(Error::NotDurable {
            source: Some(source),
            ..
        }) => {
            assert!(source.to_string().contains("NOPERM"), "{source}");
            failed.insert("offer_with(durable)");
        }
        other => {
            note(failed, call, other);
        }
    }
}

/// A client of the role and its queue, or nothing if it may not connect.
async fn open(
    redis: &RedisServer,
    failed: &mut Failed,
    builder: redisson_delayed_queue::ClientBuilder,
) -> Option<(Client, DelayedQueue<String>, Events)> {
    let connected = builder.connect(service_url(redis)).await;
    let client = note(failed, "connect", connected)?;
    let events = client.events();
    eventually(SOON, "it has connected to deliver, too", async || {
        let mut connection = redis.connection().await;
        let mut list = redis::cmd("CLIENT");
        let list: String = list.arg("LIST").query_async(&mut connection).await.unwrap();
        list.matches(" user=service ").count() >= 2
    })
    .await;
    let queue = client.delayed_queue("orders", StringCodec).unwrap();
    Some((client, queue, events))
}

/// Otherwise a right that a role needs would be missing for the user with all roles.
#[test]
fn the_user_for_everything_has_all_roles() {
    let roles = ["Producer", "Consumer", "Acknowledging consumer", "Operator"].into_iter();
    let mut rights: BTreeSet<_> = roles.flat_map(documented_rights).collect();
    rights.extend(["+copy", "+rename"]);
    let everything: BTreeSet<_> = documented_rights("Everything").into_iter().collect();
    assert_eq!(everything, rights);
}

#[tokio::test]
async fn a_producer_needs_the_documented_rights() {
    assert_least("Producer", async |redis| {
        let mut failed = Failed::new();
        // Offers with short delays then need the rights that a repeated offer needs.
        let builder = Client::builder().transfer(false).remember_offers(true);
        let Some((_client, queue, _)) = open(redis, &mut failed, builder).await else {
            return failed;
        };
        let failed = &mut failed;
        let (a, short) = ("a".to_owned(), Duration::from_secs(1));
        // The due time of two does not tell which of them is the head.
        let at = SystemTime::now() + short;
        for _ in 0..2 {
            note(failed, "offer", queue.offer_with(&a, at).await);
        }
        let ticket = note(failed, "offer", queue.offer(&a, short).await);
        let all = queue.offer_all([(&a, short), (&a, short)]).await;
        let tickets = note(failed, "offer_all", all).unwrap_or_default();
        for delay in [LONG, LONG * 2] {
            let offer = || under("17", delay, IfPending::Replace);
            note(
                failed,
                "offer_with(key)",
                queue.offer_with(&a, offer()).await,
            );
            let other = "b".to_owned();
            note(
                failed,
                "offer_with(key)",
                queue.offer_with(&other, offer()).await,
            );
            let offer = replacing(delay);
            note(
                failed,
                "offer_with(unique)",
                queue.offer_with(&a, offer).await,
            );
        }
        // It keeps the element, and so writes nothing of its own before it waits.
        let kept = under("17", LONG, IfPending::Keep);
        let kept = kept.durability(Durability::Replicas(1), Duration::from_millis(1));
        note_durable(failed, "offer_with(key)", queue.offer_with(&a, kept).await);
        // Redis searches for a bulky element itself.
        let bulky = queue.offer(&"x".repeat(1_200_000), LONG).await;
        if let Some(ticket) = note(failed, "offer", bulky) {
            note(failed, "cancel", queue.cancel(&ticket).await);
        }
        // The right to a call is the same whether or not there is something to change.
        let gone = || Ticket::from_bytes(&b"\x08notthere\x01\0\0\0\0\0\0\0a"[..]).unwrap();
        let ticket = ticket.unwrap_or_else(gone);
        note(
            failed,
            "reschedule",
            queue.reschedule(&ticket, LONG / 2).await,
        );
        note(failed, "cancel", queue.cancel(&ticket).await);
        note(
            failed,
            "cancel",
            queue.cancel_all(tickets.iter().map(|it| &it.ticket)).await,
        );
        std::mem::take(failed)
    })
    .await;
}

#[tokio::test]
async fn a_consumer_needs_the_documented_rights() {
    assert_least("Consumer", async |redis| {
        prepare(redis).await;
        let mut failed = Failed::new();
        let Some((client, queue, mut events)) = open(redis, &mut failed, looking_often()).await
        else {
            return failed;
        };
        let keys = keys();
        let mut told = Vec::new();
        eventually(SOON, "elements are moved, or that is denied", async || {
            told.extend(all_events(&mut events));
            let mut connection = redis.connection().await;
            let due: usize = connection
                .zcount(keys.timeouts(), 0, server_ms(redis).await)
                .await
                .unwrap();
            let fired: Option<f64> = connection
                .zscore(keys.periodic_due(), "hourly")
                .await
                .unwrap();
            let is_fired = fired.unwrap() > 1_000_000.0;
            let is_denied = told
                .iter()
                .any(|it| matches!(it, Event::TransferFailed { .. }));
            let is_unfired = told
                .iter()
                .any(|it| matches!(it, Event::ScheduleFailed { .. }));
            is_denied || due == 0 && (is_fired || is_unfired)
        })
        .await;
        let failed = &mut failed;
        for event in told {
            match event {
                Event::TransferFailed { .. } => failed.insert("Event::TransferFailed"),
                Event::ScheduleFailed { .. } => failed.insert("Event::ScheduleFailed"),
                _ => continue,
            };
        }
        if failed.contains("Event::TransferFailed") {
            failed.remove("Event::ScheduleFailed");
        } else if !is_swept(redis).await {
            failed.insert("rdq1_keyed");
        }
        note(failed, "take", queue.take().await);
        for _ in 0..2 {
            note(failed, "take", queue.take_many(8, SOON).await);
        }
        note(failed, "take_last", queue.destination().take_last().await);
        let left = queue.destination().poll_many(100).await;
        note(failed, "take", left);
        if failed.is_empty() {
            let mut connection = redis.connection().await;
            let () = connection.hset(keys.state(), "paused", "1").await.unwrap();
            eventually(
                SOON,
                "it waits for the end of the pause, or something is denied",
                async || {
                    redis.command_count(&["hexists"]).await > 0 || !denials(redis).await.is_empty()
                },
            )
            .await;
            let () = connection.hdel(keys.state(), "paused").await.unwrap();
        }
        drop(queue);
        if failed.is_empty() {
            let rest = [keys.timeouts(), keys.periodic(), keys.periodic_due()];
            let () = redis.connection().await.del(&rest).await.unwrap();
            eventually(
                SOON,
                "it stops listening, or something is denied",
                async || {
                    redis.command_count(&["unsubscribe"]).await > 0
                        || !denials(redis).await.is_empty()
                },
            )
            .await;
        }
        // Fails as the calls before it did.
        let _ = client.shutdown().await;
        let mut connection = redis.connection().await;
        if !failed.contains("Event::TransferFailed")
            && connection.exists(keys.leases()).await.unwrap()
        {
            failed.insert("rdq1_leases");
        }
        push(redis, &["a"]).await;
        let careful = Client::builder().transfer(false).at_most_once(true);
        if let Some((_client, queue, _)) = open(redis, failed, careful).await {
            note(failed, "at_most_once", queue.take().await);
        }
        if failed.is_empty() && !finds_lost_claims(redis).await {
            failed.insert("Event::Degraded");
        }
        std::mem::take(failed)
    })
    .await;
}

/// Loses the reply to a claim of `take`. True if the client may look for its element.
async fn finds_lost_claims(redis: &RedisServer) -> bool {
    let mut unlucky = Unlucky::start(redis, Duration::from_secs(1)).await;
    let (proxy, queue) = (&unlucky.proxy, &unlucky.queue);
    // The script is loaded then, whose text has the word in it.
    queue.try_take().await.unwrap();
    proxy.cut_after_request(CLAIM, 1);
    push(redis, &["a"]).await;
    queue.take().await.unwrap();
    unlucky.complaints().is_empty()
}

/// Leaves something of every kind that a consumer meets.
async fn prepare(redis: &RedisServer) {
    let owner = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let a = "a".to_owned();
    owner
        .offer_with(&a, under("17", LONG, IfPending::Keep))
        .await
        .unwrap();
    let expires_at = loop {
        let expires_at = SystemTime::now() + Duration::from_millis(20);
        match owner
            .offer_with(&a, expiring(Duration::ZERO, expires_at))
            .await
        {
            // The machine is busy.
            Err(Error::ExpiresBeforeDue) => {}
            offered => break offered.map(|_| expires_at).unwrap(),
        }
    };
    let expires_ms = expires_at.duration_since(SystemTime::UNIX_EPOCH).unwrap();
    eventually(SOON, "it expires", async || {
        server_ms(redis).await > expires_ms.as_millis() as i64
    })
    .await;
    let hourly = Schedule::every(LONG).unwrap();
    owner.schedule("hourly", &a, &hourly).await.unwrap();
    let limit = RateLimit::new(1_000, Duration::from_millis(1));
    owner.set_rate_limit(Some(limit)).await.unwrap();
    let members = [
        (b"\x01i\x01\0\0\0\0\0\0\0a".to_vec(), 1_000.0),
        (b"unreadable".to_vec(), 2_000.0),
    ];
    schedule(redis, &members).await;
    let mut connection = redis.connection().await;
    let () = connection
        .zadd(keys().periodic_due(), "hourly", 1_000)
        .await
        .unwrap();
    let mut store = redis::pipe();
    crate::fixture::abandon(&mut store, 1, 0, "b");
    let () = store.query_async(&mut connection).await.unwrap();
    let () = connection
        .hset(keys().keyed(), "forgotten", "gone")
        .await
        .unwrap();
    let () = connection
        .zadd(keys().keyed_due(), "forgotten", 1)
        .await
        .unwrap();
    owner
        .offer(&"x".repeat(1_200_000), Duration::ZERO)
        .await
        .unwrap();
    let () = connection.rpush("orders", vec![&a; 20]).await.unwrap();
}

/// True if a key of an offer is forgotten whose element is gone.
async fn is_swept(redis: &RedisServer) -> bool {
    let mut connection = redis.connection().await;
    for _ in 0..100 {
        let member: Option<String> = connection.hget(keys().keyed(), "forgotten").await.unwrap();
        if member.is_none() {
            return true;
        }
        looked(redis, 1).await;
    }
    false
}

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
