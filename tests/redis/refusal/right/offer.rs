//! Offers by users without a right to one of their commands.

use super::*;

/// [C3] An offer that is denied halfway and repeated by the application arrives twice.
#[tokio::test]
async fn an_offer_without_the_right_to_one_command_stands_or_leaves_nothing() {
    let lacking: [&[&str]; 9] = [
        &["-zadd"],
        &["-rpush"],
        // A producer that may do what Redisson's script does, but for the right that was forgotten.
        &["-rpush", "-zrem"],
        &["-zrange"],
        &["-publish"],
        &["-pexpire"],
        &["-zscore"],
        &["-llen"],
        &["-llen", "-rpush"],
    ];
    for lacking in lacking {
        for remember in [false, true] {
            let redis = RedisServer::start().await;
            allow(&redis, &[&["~*", "&*", "+@all"], lacking].concat()).await;
            let builder = Client::builder().transfer(false).remember_offers(remember);
            let queue = orders_with(builder, &service_url(&redis)).await;
            let delay = Duration::from_secs(1);
            match queue.offer(&"a".to_owned(), delay).await {
                Ok(ticket) => {
                    let contents = Contents::of(&redis).await;
                    assert_eq!(contents.ordering, [ticket.as_bytes().to_vec()]);
                    assert_eq!(contents.timeouts.len(), 1, "{lacking:?}");
                }
                // Redis 6.2 cannot tell beforehand.
                Err(error @ Error::Denied { .. }) if error.may_have_changed_redis() => {
                    assert!(is_older_than((7, 0)), "{error:?} with {lacking:?}");
                }
                denied => {
                    let left: Vec<String> = snapshot(&redis).await.into_keys().collect();
                    assert!(left.is_empty(), "{left:?} with {lacking:?}");
                    assert_denied(denied, Step::Offer);
                }
            }
        }
    }
}

/// [C3] What was pending must not be gone for an offer in its place that was denied.
#[tokio::test]
async fn an_offer_in_the_place_of_another_takes_its_place_or_leaves_everything() {
    if lacks((7, 0), RIGHTS_BEFOREHAND) {
        return;
    }
    let redis = RedisServer::start().await;
    for lacking in [
        "zadd", "zrem", "zscore", "zmscore", "zrange", "rpush", "lrem", "lindex", "lrange", "hget",
        "hset", "hdel", "pexpire", "publish",
    ] {
        let () = redis.run(&["FLUSHALL"]).await;
        allow(&redis, &["~*", "&*", "+@all"]).await;
        let builder = Client::builder().transfer(false);
        let queue = orders_with(builder, &service_url(&redis)).await;
        let (old, new, if_pending) = ("old".to_owned(), "new".to_owned(), IfPending::Replace);
        queue
            .offer_with(&old, under("key", LONG, if_pending))
            .await
            .unwrap();
        queue.offer(&new, LONG).await.unwrap();
        let before = snapshot(&redis).await;
        allow(&redis, &["~*", "&*", "+@all", &format!("-{lacking}")]).await;
        for call in 0..2 {
            let before = snapshot(&redis).await;
            let placed = match call {
                0 => queue.offer_with(&new, under("key", LONG, if_pending)).await,
                _ => queue.offer_with(&new, replacing(LONG)).await,
            };
            match placed {
                Ok(placed) => assert!(
                    matches!(
                        placed,
                        Offered {
                            outcome: Outcome::Replaced,
                            ..
                        }
                    ),
                    "{placed:?}"
                ),
                denied => {
                    assert_denied(denied, Step::Offer);
                    assert_eq!(snapshot(&redis).await, before, "without {lacking}");
                }
            }
            let contents = Contents::of(&redis).await;
            assert_eq!(contents.ordering.len(), 2, "without {lacking}");
            assert_eq!(contents.timeouts.len(), 2, "without {lacking}");
        }
        let is_changed = snapshot(&redis).await != before;
        let is_idle = [
            "publish", "zrange", "lrange", "hget", "hset", "hdel", "zscore",
        ];
        assert_eq!(is_changed, is_idle.contains(&lacking), "without {lacking}");
    }
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
