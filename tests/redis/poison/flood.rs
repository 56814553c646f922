//! Unreadable members by the thousand.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use futures::FutureExt;
use redis::AsyncCommands;

use super::*;
use crate::fixture::{client_with, delete_quarantine, never_polling, set_memory};

/// A run that looked at the first hundred alone would deliver the good one after a dozen others.
#[tokio::test]
async fn a_good_member_overtakes_a_thousand_unreadable_ones_in_the_first_run() {
    let start = Instant::now();
    let redis = RedisServer::start().await;
    let mut members: Vec<Bytes> = (0..1_000)
        .map(|i| format!("no member {i}").into())
        .collect();
    members.push(member("good"));
    schedule_listed(&redis, &at_one_ms_each(1_000.0, &members), |i| i % 2 == 0).await;

    let before = redis.command_count(&["evalsha"]).await;
    let (queue, mut events) = orders_with_events(never_polling().transfer(true), &redis).await;
    eventually(SOON, "the good one is moved", async || {
        Contents::of(&redis).await.target == ["good"]
    })
    .await;
    let runs = redis.command_count(&["evalsha"]).await - before;
    // One moves it, and one finds nothing more to do.
    assert!(runs <= 3, "{runs} runs");
    assert_eq!(flood_of(&mut events, start, 1_000).await, 0);
    let contents = Contents::of(&redis).await;
    assert_eq!(contents.quarantine.len(), 1_000);
    assert!(contents.ordering.is_empty() && contents.timeouts.is_empty());
    drop(queue);
}

/// Nothing gets lost and nothing stays: members that begin alike, that are empty or large, that stand in the
/// ordering list once, twice or not at all, between good ones that are due and that are not.
#[tokio::test]
async fn a_flood_among_good_members_leaves_every_key_as_it_should_be() {
    const BAD: usize = 6_000;
    let start = Instant::now();
    let redis = RedisServer::start().await;
    let now = server_ms(&redis).await as f64;
    let (mut scheduled, mut listed) = (Vec::new(), Vec::new());
    let (mut bad, mut good, mut stay) = (HashMap::new(), Vec::new(), Vec::new());
    for i in 0..BAD {
        let it: Bytes = match i {
            0 => Bytes::new(),
            _ if i % 500 == 0 => format!("{}{i}", "x".repeat(5_000)).into(),
            _ => format!("a member that begins as the others do {i}").into(),
        };
        let score = now - 1_000_000.0 + i as f64;
        scheduled.push((it.clone(), score));
        listed.extend(std::iter::repeat_n(it.clone(), i % 4));
        bad.insert(it.to_vec(), score);
        if i % 3 == 0 {
            let it = member(&i.to_string());
            scheduled.push((it.clone(), score));
            listed.push(it);
            good.push(i.to_string());
        }
        if i % 2 == 0 {
            let it = member(&format!("stays {i}"));
            scheduled.push((it.clone(), 4e12));
            listed.push(it.clone());
            stay.push(it);
        }
    }
    // One that is not yet due stays in both keys, readable or not.
    let future = Bytes::from_static(b"no member for a long time");
    scheduled.push((future.clone(), 4e12));
    listed.push(future.clone());
    stay.push(future);
    write(&redis, &scheduled, &listed).await;

    let (queue, mut events) = orders_with_events(Client::builder(), &redis).await;
    assert_eq!(take_all(&queue, good.len()).await.unwrap(), good);
    assert_eq!(flood_of(&mut events, start, BAD as u64).await, 0);
    eventually(SOON, "the ordering list is right", async || {
        Contents::of(&redis).await.ordering == stay
    })
    .await;
    let contents = Contents::of(&redis).await;
    let left: HashSet<_> = contents.timeouts.into_iter().map(|it| it.0).collect();
    assert!(left == stay.iter().map(|it| it.to_vec()).collect());
    assert!(
        quarantine(&redis)
            .await
            .into_iter()
            .collect::<HashMap<_, _>>()
            == bad
    );
    assert_eq!(queue.try_take().await.unwrap(), None);
    eventually(SOON, "no note of it is left", async || {
        !exists(&redis, keys().state()).await
    })
    .await;
}

/// A flood without end must not fill Redis.
#[tokio::test]
async fn the_quarantine_keeps_ten_thousand_and_counts_the_others() {
    const BAD: usize = 12_500;
    let start = Instant::now();
    let redis = RedisServer::start().await;
    let members: Vec<Bytes> = (0..BAD).map(|i| format!("no member {i}").into()).collect();
    write(&redis, &at_one_ms_each(1_000.0, &members), &[]).await;
    // So patient that a busy machine loses no reply with a large member, and what it reports.
    let patient = looking_often().response_timeout(SOON);
    let (_queue, mut events) = orders_with_events(patient, &redis).await;
    assert_eq!(flood_of(&mut events, start, BAD as u64).await, 2_500);
    let mut kept = quarantine(&redis).await;
    let dropped = b"rdq1: so many more were dropped".to_vec();
    assert_eq!(kept.remove(0), (members[0].to_vec(), 1_000.0));
    kept.retain(|it| *it != (dropped.clone(), 2_500.0));
    assert_eq!(kept.len(), 9_999);
    assert!(Contents::of(&redis).await.timeouts.is_empty());

    // Large ones count for as many as they are large, and the first of them is kept all the same.
    delete_quarantine(&redis).await;
    let large: Vec<Bytes> = (b'a'..=b'e')
        .map(|it| Bytes::from(vec![it; 20_000_000]))
        .collect();
    for it in &large {
        write(&redis, &[(it.clone(), 1_000.0)], &[]).await;
        eventually(SOON, "it is taken out", async || {
            Contents::of(&redis).await.timeouts.is_empty()
        })
        .await;
    }
    // 3 * 20 MB are less than 64 MiB, 4 * 20 MB are more.
    assert_eq!(flood_of(&mut events, start, 5).await, 1);
    let kept = quarantine(&redis).await;
    assert!(kept.contains(&(dropped, 1.0)));
    assert_eq!(kept.len(), 5);
}

/// Whoever writes them may do so with delays. Then each run takes out a few, with nothing due behind them.
#[tokio::test]
async fn a_flood_that_becomes_due_bit_by_bit_is_reported_about_once_a_second() {
    const BAD: usize = 1_000;
    let start = Instant::now();
    let redis = RedisServer::start().await;
    let (queue, mut events) = orders_with_events(never_polling(), &redis).await;
    // The look at the beginning would see those ahead.
    looked(&redis, 1).await;
    let members: Vec<Bytes> = (0..BAD).map(|i| format!("no member {i}").into()).collect();
    let first = server_ms(&redis).await as f64 + 500.0;
    write(&redis, &at_one_ms_each(first, &members), &members).await;
    let good = "good".to_owned();
    queue.offer(&good, Duration::from_millis(1)).await.unwrap();
    assert_eq!(take_all(&queue, 1).await.unwrap(), [good]);
    assert_eq!(flood_of(&mut events, start, BAD as u64).await, 0);
}

/// What waits for the next report is not forgotten when there is none.
#[tokio::test]
async fn a_client_that_shuts_down_reports_what_it_has_taken_out() {
    let start = Instant::now();
    let redis = RedisServer::start().await;
    let client = client_with(looking_often(), &redis.url()).await;
    let mut events = client.events();
    let _queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    for (i, text) in ["first", "second"].into_iter().enumerate() {
        write(&redis, &[(text.into(), 1_000.0)], &[]).await;
        eventually(SOON, "it is taken out", async || {
            quarantine(&redis).await.len() == i + 1
        })
        .await;
    }
    client.shutdown().await.unwrap();
    assert_eq!(flood_of(&mut events, start, 2).await, 0);
}

/// The run that took them out of the timeout set was the last of its client.
#[tokio::test]
async fn another_client_tidies_what_one_left_in_the_ordering_list() {
    let redis = RedisServer::start().await;
    let ghost = |i: usize| Bytes::from(format!("no member {i}"));
    let listed: Vec<Bytes> = (0..9_000)
        .map(|i| match i % 3 {
            0 => member(&i.to_string()),
            _ => ghost(i),
        })
        .collect();
    let stay: Vec<Bytes> = listed.iter().step_by(3).cloned().collect();
    let scheduled: Vec<_> = stay.iter().map(|it| (it.clone(), 4e12)).collect();
    for note in ["9000", "4000+", "4000", "no number"] {
        let () = redis.run(&["FLUSHALL"]).await;
        write(&redis, &scheduled, &listed).await;
        let mut connection = redis.connection().await;
        let () = connection
            .hset(keys().state(), "untidy", note)
            .await
            .unwrap();
        let _queue = orders(&redis.url()).await;
        eventually(SOON, "the note is gone", async || {
            !exists(&redis, keys().state()).await
        })
        .await;
        let left = Contents::of(&redis).await.ordering;
        if note == "4000" {
            // The newer ones were looked at before.
            let newer = listed[4_000..].iter();
            let older = stay.iter().take(4_000_usize.div_ceil(3));
            assert!(left.iter().eq(older.chain(newer)), "{note}");
        } else {
            assert!(left == stay, "{note}: {} left", left.len());
        }
    }
}

/// A run that only looks through the ordering list has nothing to write but how far it is.
#[tokio::test]
async fn without_memory_the_list_is_tidied_later_and_no_transfer_fails() {
    let redis = RedisServer::start().await;
    let listed: Vec<Bytes> = (0..5_000).map(|i| member(&i.to_string())).collect();
    let scheduled: Vec<_> = listed.iter().map(|it| (it.clone(), 4e12)).collect();
    write(&redis, &scheduled, &listed).await;
    let mut connection = redis.connection().await;
    let state = keys().state().to_owned();
    let () = connection.hset(&state, "untidy", 5_000).await.unwrap();
    set_memory(&redis, "1").await;

    let before = redis.command_count(&["evalsha"]).await;
    let (_queue, mut events) = orders_with_events(looking_often(), &redis).await;
    eventually(SOON, "some runs", async || {
        redis.command_count(&["evalsha"]).await > before + 5
    })
    .await;
    while let Some(event) = events.next().now_or_never() {
        let event = event.expect("the client lives");
        assert!(!matches!(event, Event::TransferFailed { .. }), "{event:?}");
    }
    let left: u64 = connection.hget(&state, "untidy").await.unwrap();
    assert_eq!(left, 5_000);

    set_memory(&redis, "0").await;
    eventually(SOON, "the note is gone", async || {
        !exists(&redis, &state).await
    })
    .await;
    assert_eq!(Contents::of(&redis).await.ordering, listed);
}

/// Writes members and what the ordering list says, each as large as it is.
async fn write(redis: &RedisServer, scheduled: &[(Bytes, f64)], listed: &[Bytes]) {
    let mut connection = redis.connection().await;
    let mut pipe = redis::pipe();
    pipe.atomic();
    for (member, score) in scheduled {
        pipe.zadd(keys().timeouts(), &member[..], score).ignore();
    }
    for member in listed {
        pipe.rpush(keys().ordering(), &member[..]).ignore();
    }
    let () = pipe.query_async(&mut connection).await.unwrap();
}

/// As [`schedule`], but only some stand in the ordering list.
async fn schedule_listed(
    redis: &RedisServer,
    scheduled: &[(Bytes, f64)],
    is_listed: impl Fn(usize) -> bool,
) {
    let listed = scheduled.iter().enumerate().filter(|(i, _)| is_listed(*i));
    let listed: Vec<_> = listed.map(|(_, (member, _))| member.clone()).collect();
    write(redis, scheduled, &listed).await;
}

/// Waits until so many were reported since `start`, and returns how many of them were dropped.
async fn flood_of(events: &mut Events, start: Instant, wanted: u64) -> u64 {
    let (mut total, mut all_dropped, mut reports) = (0, 0, 0);
    let find = async {
        while total < wanted {
            if let Event::Quarantined {
                count,
                dropped,
                members,
                ..
            } = events.next().await.expect("the client lives")
            {
                assert!(members.len() <= 16);
                total += count;
                all_dropped += dropped;
                reports += 1;
            }
        }
    };
    if timeout(SOON * 3, find).await.is_err() {
        panic!("{total} of {wanted} are reported");
    }
    assert_eq!(total, wanted);
    // One at once, then one a second, and the last.
    let most = start.elapsed().as_secs() + 2;
    assert!(reports <= most, "{reports} reports, not {most}");
    all_dropped
}

async fn exists(redis: &RedisServer, key: &str) -> bool {
    redis.connection().await.exists(key).await.unwrap()
}
