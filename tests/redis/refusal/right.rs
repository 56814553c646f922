//! Users without a right that the crate needs, or merely likes to have.

#[cfg(feature = "periodic")]
use redisson_delayed_queue::Schedule;

use super::*;

mod lost_claim;
#[cfg(feature = "periodic")]
mod roles;

/// A service with yesterday's password must not look like a service whose Redis is away.
#[tokio::test]
async fn a_wrong_password_and_a_missing_one_are_denied() {
    let redis = RedisServer::start().await;
    allow(&redis, &["~*", "&*", "+@all"]).await;
    let wrong = service_url(&redis).replace("secret", "wrong");
    assert_denied(Client::connect(wrong).await, Step::Connect);
    let unknown = service_url(&redis).replace("service", "nobody");
    assert_denied(Client::connect(unknown).await, Step::Connect);

    let client = Client::connect(service_url(&redis)).await;
    assert!(client.is_ok(), "{client:?}");
    let () = redis.run(&["ACL", "SETUSER", "default", "off"]).await;
    assert_denied(Client::connect(redis.url()).await, Step::Connect);
}

/// [C3] [A4] In Redisson the offer fails after it was stored, is repeated, and arrives twice; and
/// without its subscription nothing arrives at all.
#[tokio::test]
async fn without_the_right_to_the_channel_offers_stand_and_the_poll_delivers() {
    let redis = RedisServer::start().await;
    allow(&redis, &["~*", "+@all", "resetchannels"]).await;
    let offering = Client::builder().transfer(false);
    let producer = orders_with(offering, &service_url(&redis)).await;
    let client = looking_often().connect(service_url(&redis)).await.unwrap();
    let mut events = client.events();
    let consumer: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let Event::SubscriptionRefused { queue, error, .. } = next_event(&mut events).await else {
        panic!("the subscription is refused first");
    };
    assert_eq!(queue, "orders");
    assert_denied(Err::<(), _>(error), Step::Subscribe);

    let ticket = producer.offer(&"late".to_owned(), LONG).await.unwrap();
    let contents = Contents::of(&redis).await;
    assert_eq!(contents.ordering, [ticket.as_bytes().to_vec()]);
    assert_eq!(contents.timeouts.len(), 1);
    assert!(producer.reschedule(&ticket, LONG * 2).await.unwrap());
    let delay = Duration::from_millis(100);
    producer.offer(&"soon".to_owned(), delay).await.unwrap();
    assert_eq!(take_all(&consumer, 1).await.unwrap(), ["soon"]);
    looked(&redis, 20).await;
    assert_eq!(consumer.try_take().await.unwrap(), None);
    let told = all_events(&mut events);
    assert!(told.is_empty(), "told once, and then {told:?}");
}

/// Without hints from Redis a consumer does not see what another client moves until it looks.
#[tokio::test]
async fn without_the_right_to_track_keys_the_poll_delivers() {
    if lacks((7, 0), SUBCOMMAND_RULES) {
        return;
    }
    let redis = RedisServer::start().await;
    allow(&redis, &["~*", "&*", "+@all", "-client|tracking"]).await;
    for transfer in [true, false] {
        let builder = looking_often().transfer(transfer);
        // On this runtime nothing runs before the first await, so no event is missed.
        let client = builder.connect(service_url(&redis)).await.unwrap();
        let mut events = client.events();
        let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
        let waiting = tokio::spawn(async move { queue.take().await });
        let Event::TrackingRefused { error, .. } = next_event(&mut events).await else {
            panic!("tracking is refused first");
        };
        assert_denied(Err::<(), _>(error), Step::Connect);
        // As a mover in any language does.
        let mut connection = redis.connection().await;
        let () = connection.rpush("orders", "moved").await.unwrap();
        let taken = timeout(SOON, waiting).await.unwrap().unwrap();
        assert_eq!(taken.unwrap(), "moved");
        let told = all_events(&mut events);
        assert!(told.is_empty(), "told once, and then {told:?}");
    }
}

/// The keys of the queue, or those of them that only this crate uses, are missing in the rules.
#[tokio::test]
async fn without_the_right_to_a_key_everything_is_denied_until_it_is_granted() {
    let java_only = ["~orders", "~redisson_delay_queue*", "&*", "+@all"];
    for rules in [&["~other", "&*", "+@all"][..], &java_only] {
        let redis = RedisServer::start().await;
        allow(&redis, rules).await;
        let due = *b"\x01i\x01\0\0\0\0\0\0\0a";
        schedule(&redis, &[(due, 1_000.0)]).await;
        let before = snapshot(&redis).await;
        let client = looking_often().connect(service_url(&redis)).await.unwrap();
        let mut events = client.events();
        let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
        let Event::TransferFailed { error, .. } = next_event(&mut events).await else {
            panic!("the transfer fails first");
        };
        assert_denied(Err::<(), _>(error), Step::Transfer);
        let value = "b".to_owned();
        assert_denied(queue.offer(&value, LONG).await, Step::Offer);
        assert_denied(queue.take().await, Step::Claim);
        assert_denied(queue.try_take().await, Step::Claim);
        let ticket = Ticket::from_bytes(Bytes::copy_from_slice(&due)).unwrap();
        assert_denied(queue.cancel(&ticket).await, Step::Cancel);
        assert_denied(queue.promote(&ticket).await, Step::Promote);
        assert_denied(queue.reschedule(&ticket, LONG).await, Step::Reschedule);
        if rules != java_only {
            assert_denied(queue.pending().len().await, Step::Read);
            assert_denied(queue.pending().contains(&value).await, Step::Read);
            assert_denied(queue.pending().clear().await, Step::Clear);
            assert_denied(queue.destination().offer(&value).await, Step::Offer);
        }
        assert_eq!(snapshot(&redis).await, before);

        allow(&redis, &["~*", "&*", "+@all"]).await;
        assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
        queue.offer(&value, Duration::ZERO).await.unwrap();
        assert_eq!(take_all(&queue, 1).await.unwrap(), ["b"]);
        // The takers were told as well: once, although they tried again and again.
        let mut told = all_events(&mut events);
        told.sort_by_key(|it| !matches!(it, Event::TransferResumed { .. }));
        assert!(
            matches!(
                &told[..],
                [
                    Event::TransferResumed { .. },
                    Event::Degraded { queue: Some(degraded), .. },
                    Event::Recovered { queue: Some(recovered), .. },
                ] if degraded == "orders" && recovered == "orders"
            ),
            "{told:?}"
        );
    }
}

/// [C1] Scripts do not roll back: one refused halfway delivers again at every look, or loses.
#[tokio::test]
async fn without_the_right_to_one_command_nothing_is_lost_or_delivered_twice() {
    if lacks((7, 0), RIGHTS_BEFOREHAND) {
        return;
    }
    for command in [
        "zrem", "lrem", "rpush", "zadd", "lrange", "ltrim", "llen", "zcount", "zrange", "hexists",
        "hmget", "hset",
    ] {
        let redis = RedisServer::start().await;
        allow(&redis, &["~*", "&*", "+@all", &format!("-{command}")]).await;
        let members = [
            (&b"\x01i\x01\0\0\0\0\0\0\0a"[..], 1_000.0),
            (&b"\x01i\x01\0\0\0\0\0\0\0b"[..], 2_000.0),
        ];
        schedule(&redis, &members).await;
        let queue = orders_with(looking_often(), &service_url(&redis)).await;
        looked(&redis, 20).await;
        // Either everything was moved or nothing.
        let contents = Contents::of(&redis).await;
        if contents.target.is_empty() {
            assert_eq!(contents.timeouts.len(), 2, "without {command}");
            assert_eq!(contents.ordering.len(), 2, "without {command}");
        } else {
            assert_eq!(contents.target, ["a", "b"], "without {command}");
            assert!(contents.timeouts.is_empty(), "without {command}");
            assert!(contents.ordering.is_empty(), "without {command}");
        }
        // A refused claim leaves what is due where it is.
        let mut connection = redis.connection().await;
        let () = connection.rpush("orders", "c").await.unwrap();
        let mut taken: Vec<String> = queue.try_take().await.ok().flatten().into_iter().collect();

        allow(&redis, &["~*", "&*", "+@all"]).await;
        let missing = 3 - taken.len();
        taken.extend(take_all(&queue, missing).await.unwrap());
        looked(&redis, 20).await;
        assert_eq!(queue.try_take().await.unwrap(), None, "without {command}");
        taken.sort();
        assert_eq!(taken, ["a", "b", "c"], "without {command}");
    }
}

/// The rights that `docs/acl.md` lists are all that a user needs.
#[tokio::test]
async fn a_user_with_the_documented_rights_can_do_everything() {
    for listing in LISTINGS {
        let redis = RedisServer::start().await;
        let rights = documented_rights("Everything");
        // Those of the other queues that calls name as well.
        let others = ["other", "copy", "renamed"].into_iter().flat_map(|name| {
            let keys = rights.iter().filter(|it| it.starts_with(['~', '&']));
            keys.map(move |it| it.replace("orders", name))
        });
        let others: Vec<String> = others.collect();
        let others = others.iter().map(String::as_str);
        let all: Vec<&str> = rights.iter().copied().chain(others).collect();
        allow(&redis, &all).await;
        let builder = looking_often().remember_offers(true);
        let client = builder.connect(service_url(&redis)).await.unwrap();
        let mut events = client.events();
        let handles = Handles::new(&client, listing, "orders");
        for (call, result) in handles.every_call().await {
            assert!(result.is_ok(), "{call}: {result:?}");
        }

        // What runs by itself, and what no call of the catalogue does.
        let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
        let queue = queue.with_listing(listing);
        let (a, soon) = ("a".to_owned(), Duration::from_millis(20));
        let unreadable = *b"no member";
        schedule(&redis, &[(unreadable, 1_000.0)]).await;
        queue.offer(&a, soon).await.unwrap();
        assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
        let tomorrow = SystemTime::now() + LONG;
        let expiring = expiring(soon, tomorrow);
        queue.offer_with(&a, expiring).await.unwrap();
        assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
        for delay in [LONG, LONG * 2] {
            let replaced = by_value(delay, IfPending::Replace);
            queue.offer_with(&a, replaced).await.unwrap();
            let value = format!("{delay:?}");
            let replaced = under("key", delay, IfPending::Replace);
            queue.offer_with(&value, replaced).await.unwrap();
        }
        #[cfg(feature = "periodic")]
        {
            let often = Schedule::every(Duration::from_millis(100)).unwrap();
            queue.schedule("often", &a, &often).await.unwrap();
            assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
            assert!(queue.unschedule("often").await.unwrap());
        }
        client.shutdown().await.unwrap();
        let mut told = all_events(&mut events);
        told.retain(|it| !matches!(it, Event::DeadLettered { .. }));
        assert!(matches!(told[..], [Event::Quarantined { .. }]), "{told:?}");
    }
}

/// A password is rotated under a running service, first in Redis and then back.
#[tokio::test]
async fn a_service_whose_user_was_deleted_recovers_when_it_is_back() {
    let redis = RedisServer::start().await;
    let everything = ["~*", "&*", "+@all"];
    allow(&redis, &everything).await;
    let queue = orders_with(looking_often(), &service_url(&redis)).await;
    let delay = Duration::from_millis(50);
    queue.offer(&"a".to_owned(), LONG).await.unwrap();
    let () = redis.run(&["ACL", "DELUSER", "service"]).await;
    // The connection may be found dead first; that offer is lost or unknown, never taken for denied.
    eventually(SOON, "offers are denied", async || {
        let denied = queue.offer(&"b".to_owned(), LONG).await;
        matches!(
            denied,
            Err(Error::Denied {
                step: Step::Connect,
                ..
            })
        )
    })
    .await;
    assert_eq!(Contents::of(&redis).await.timeouts.len(), 1);

    allow(&redis, &everything).await;
    queue.offer(&"c".to_owned(), delay).await.unwrap();
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["c"]);
}

/// The producer of `docs/acl.md` may wait for replicas, but not for the disk.
#[tokio::test]
async fn an_offer_that_waits_for_the_disk_needs_one_more_right() {
    if lacks((7, 2), "WAITAOF") {
        return;
    }
    let redis = RedisServer::start().await;
    let mut rights = documented_rights("Producer");
    for is_allowed in [false, true] {
        allow(&redis, &rights).await;
        let builder = Client::builder().transfer(false);
        let queue = orders_with(builder, &service_url(&redis)).await;
        let on_disk = Durability::Aof { replicas: 0 };
        let offer = Offer::after(LONG).durability(on_disk, SOON);
        let offered = queue.offer_with(&"a".to_owned(), offer).await;
        let Err(Error::NotDurable {
            offered,
            source: Some(source),
            ..
        }) = offered
        else {
            panic!("{offered:?}");
        };
        // The server has no append-only file.
        assert_eq!(
            source.to_string().contains("NOPERM"),
            !is_allowed,
            "{source}"
        );
        assert!(queue.cancel(&offered.ticket).await.unwrap());
        rights.push("+waitaof");
    }
}

#[track_caller]
fn assert_denied<T: std::fmt::Debug>(result: Result<T>, during: Step) {
    let error = result.expect_err("a right is missing");
    assert!(
        matches!(error, Error::Denied { step, .. } if step == during),
        "{error:?}"
    );
    assert_harmless(&error);
}
