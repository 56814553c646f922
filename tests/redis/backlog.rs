//! Moving much at once, wherever it stands in a long ordering list.

use std::collections::HashSet;
use std::time::Duration;

use rand::seq::SliceRandom;
use redis::AsyncCommands;
use redisson_delayed_queue::packed::{MemberId, pack};

use crate::fixture::{Contents, SOON, keys, orders, schedule, server_ms};
use crate::support::{RedisServer, eventually};

mod crowd;

/// Longer than what can be found without reading the list first.
const MANY: usize = 6_000;

/// Ids as Redisson writes them tell nothing; those of this crate tell when each was offered.
#[derive(Clone, Copy, Debug)]
enum Writer {
    Java,
    Rust,
}

impl Writer {
    /// A member of the queue, the `i`th that was offered; its payload is the number.
    fn member(self, i: usize) -> Vec<u8> {
        self.member_of(i, 1)
    }

    /// The same with so many bytes of payload, if the number has fewer.
    fn member_of(self, i: usize, size: usize) -> Vec<u8> {
        let id = match self {
            Self::Java => MemberId::from(rand::random::<[u8; 8]>()),
            Self::Rust => {
                let stamp = (1_700_000_000_000 + i as u128) << 16;
                MemberId::from((stamp << 64 | 7).to_be_bytes())
            }
        };
        pack(&id, format!("{i:0size$}").as_bytes()).to_vec()
    }
}

/// What is due has these scores, in random order; some have the same.
fn due_scores(count: usize) -> Vec<f64> {
    let mut scores: Vec<f64> = (0..count).map(|i| (1_000_000 + i / 3) as f64).collect();
    scores.shuffle(&mut rand::rng());
    scores
}

fn far_away(i: usize) -> f64 {
    4e15 + i as f64
}

/// [E1] Redisson scans the list for each of them, from its head.
#[tokio::test]
async fn a_backlog_in_random_order_is_moved_in_due_order_and_leaves_nothing() {
    for writers in [
        &[Writer::Java][..],
        &[Writer::Rust],
        &[Writer::Rust, Writer::Java],
    ] {
        let redis = RedisServer::start().await;
        let members: Vec<_> = (0..MANY)
            .map(|i| writers[i % writers.len()].member(i))
            .zip(due_scores(MANY))
            .collect();
        schedule(&redis, &members).await;
        let mut in_due_order: Vec<_> = (0..MANY).collect();
        in_due_order.sort_by(|a, b| {
            let key = |i: &usize| (members[*i].1 as u64, &members[*i].0);
            key(a).cmp(&key(b))
        });

        let _queue = orders(&redis.url()).await;
        let scans = redis.command_count(&["lrem"]).await;
        eventually(SOON, "all of it is moved", async || {
            Contents::of(&redis).await.target.len() == MANY
        })
        .await;
        let contents = Contents::of(&redis).await;
        let expected: Vec<String> = in_due_order.iter().map(usize::to_string).collect();
        assert!(contents.target == expected, "{writers:?}");
        assert!(contents.ordering.is_empty() && contents.timeouts.is_empty());
        // One scan an element would be 6,000.
        let scans = redis.command_count(&["lrem"]).await - scans;
        assert!(scans < 600, "{writers:?}: {scans} scans");
    }
}

/// How many bytes Redis has sent to its clients.
async fn sent_bytes(redis: &RedisServer) -> usize {
    let stats: redis::InfoDict = redis.run(&["INFO", "stats"]).await;
    stats.get("total_net_output_bytes").unwrap()
}

/// Places are found by how the entries begin, and nothing else of them is sent.
#[tokio::test]
async fn a_backlog_of_large_payloads_is_moved_in_large_runs() {
    const COUNT: usize = 3_000;
    const SIZE: usize = 20_000;
    let redis = RedisServer::start().await;
    let members: Vec<_> = (0..COUNT)
        .map(|i| Writer::Java.member_of(i, SIZE))
        .zip(due_scores(COUNT))
        .collect();
    for some in members.chunks(500) {
        schedule(&redis, some).await;
    }
    let runs = redis.command_count(&["evalsha"]).await;
    let sent = sent_bytes(&redis).await;
    let _queue = orders(&redis.url()).await;
    eventually(SOON, "all of it is moved", async || {
        let mut connection = redis.connection().await;
        let moved: usize = connection.llen(keys().target()).await.unwrap();
        moved == COUNT
    })
    .await;
    let sent = sent_bytes(&redis).await - sent;
    assert!(sent < COUNT * SIZE / 10, "{sent} bytes were sent");
    let runs = redis.command_count(&["evalsha"]).await - runs;
    assert!(runs < COUNT as u64 / 20, "{runs} scripts");
    let contents = Contents::of(&redis).await;
    assert!(contents.ordering.is_empty() && contents.timeouts.is_empty());
}

/// What is due stands between what is not, of which the order must stay.
#[tokio::test]
async fn what_is_not_due_keeps_its_order() {
    for writer in [Writer::Java, Writer::Rust] {
        let redis = RedisServer::start().await;
        let scores = due_scores(MANY);
        let is_due = |i: usize| i.is_multiple_of(2);
        let members: Vec<_> = (0..MANY)
            .map(|i| {
                (
                    writer.member(i),
                    if is_due(i) { scores[i] } else { far_away(i) },
                )
            })
            .collect();
        schedule(&redis, &members).await;

        let _queue = orders(&redis.url()).await;
        eventually(SOON, "what is due is moved", async || {
            Contents::of(&redis).await.target.len() == MANY / 2
        })
        .await;
        let stays: Vec<_> = (0..MANY).filter(|i| !is_due(*i)).collect();
        let stays: Vec<_> = stays.into_iter().map(|i| members[i].0.clone()).collect();
        assert!(Contents::of(&redis).await.ordering == stays);
    }
}

/// Others remove, append and put back while the list is read and while its places are used: every
/// entry of the list that such a change moves would be mistaken for another, were it not checked.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn others_may_change_the_list_at_any_moment() {
    for round in 0..6 {
        let redis = RedisServer::start().await;
        let writer = [Writer::Java, Writer::Rust][round % 2];
        let scores = due_scores(MANY);
        let members: Vec<_> = (0..MANY)
            .map(|i| {
                (
                    writer.member(i),
                    if i % 3 > 0 { scores[i] } else { far_away(i) },
                )
            })
            .collect();
        schedule(&redis, &members).await;

        let queue = orders(&redis.url()).await;
        let (mut removed, mut added) = (HashSet::new(), Vec::new());
        let mut connection = redis.connection().await;
        let keys = keys();
        let mut i = MANY;
        loop {
            let (victim, _) = &members[rand::random_range(0..MANY)];
            let newcomer = writer.member(i);
            let mut pipe = redis::pipe();
            pipe.atomic().zrem(keys.timeouts(), victim);
            pipe.lrem(keys.ordering(), 1, victim);
            // At the head as well, where what was taken in vain is put back.
            let add = if i.is_multiple_of(2) {
                "LPUSH"
            } else {
                "RPUSH"
            };
            pipe.cmd(add).arg(keys.ordering()).arg(&newcomer).ignore();
            pipe.zadd(keys.timeouts(), &newcomer, far_away(i)).ignore();
            pipe.zcount(keys.timeouts(), "-inf", 2e12);
            let (out_of_set, out_of_list, due): (usize, usize, usize) =
                pipe.query_async(&mut connection).await.unwrap();
            assert_eq!(out_of_set, out_of_list, "the keys agree");
            if out_of_set > 0 {
                removed.insert(victim.clone());
            }
            added.push(newcomer);
            i += 1;
            if due == 0 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(rand::random_range(0..4))).await;
        }
        drop(queue);

        let contents = Contents::of(&redis).await;
        let mut moved: Vec<usize> = contents
            .target
            .iter()
            .map(|it| it.parse().unwrap())
            .collect();
        moved.sort_unstable();
        let due = (0..MANY).filter(|i| i % 3 > 0 && !removed.contains(&members[*i].0));
        assert!(moved.iter().copied().eq(due), "each is moved once");
        let in_set: HashSet<_> = contents.timeouts.into_iter().map(|it| it.0).collect();
        let in_list: HashSet<_> = contents.ordering.iter().cloned().collect();
        assert_eq!(
            in_list.len(),
            contents.ordering.len(),
            "nothing is listed twice"
        );
        assert!(in_set == in_list, "the keys agree");
        let added = added.into_iter().enumerate();
        let (appended, put_back): (Vec<_>, Vec<_>) = added.partition(|it| (MANY + it.0) % 2 == 1);
        let stays = (0..MANY).filter(|i| i % 3 == 0).map(|i| &members[i].0);
        let stays = stays.filter(|it| !removed.contains(*it));
        let order = put_back.iter().rev().map(|it| &it.1);
        let order = order.chain(stays).chain(appended.iter().map(|it| &it.1));
        assert!(contents.ordering.iter().eq(order), "the order stays");
    }
}

/// Java transfers members that no list has, and so do we; to look for them in a long list again and
/// again would take for ever.
#[tokio::test]
async fn members_that_stand_in_no_list_do_not_have_it_read_again_and_again() {
    let redis = RedisServer::start().await;
    let listed: Vec<_> = (0..8_000)
        .map(|i| (Writer::Java.member(i), far_away(i)))
        .collect();
    schedule(&redis, &listed).await;
    let mut connection = redis.connection().await;
    let nowhere: Vec<_> = (0..800).map(|i| (1_000, Writer::Java.member(i))).collect();
    let () = connection
        .zadd_multiple(keys().timeouts(), &nowhere)
        .await
        .unwrap();

    let _queue = orders(&redis.url()).await;
    eventually(SOON, "all of them are moved", async || {
        let moved: usize = redis
            .connection()
            .await
            .llen(keys().target())
            .await
            .unwrap();
        moved == 800
    })
    .await;
    // A run reads the state once. Any other script reads a page of a survey, which has five.
    let runs = redis.command_count(&["hmget"]).await;
    let pages = redis.command_count(&["evalsha"]).await - runs;
    assert!(pages < runs + 20, "{pages} pages, {runs} runs");
    assert_eq!(Contents::of(&redis).await.ordering.len(), 8_000);
}

/// A run of a hundred such members would need ten times their size in Redis, and hold up all others.
#[tokio::test]
async fn members_of_a_megabyte_are_moved_a_few_at_a_time() {
    const COUNT: usize = 40;
    let redis = RedisServer::start().await;
    let members: Vec<_> = (0..COUNT).map(|i| (large_member(i), 1_000.0)).collect();
    for some in members.chunks(10) {
        schedule(&redis, some).await;
    }
    let before = redis.command_count(&["hmget"]).await;
    let _queue = orders(&redis.url()).await;
    eventually(SOON, "all of it is moved", async || {
        let mut connection = redis.connection().await;
        let moved: usize = connection.llen(keys().target()).await.unwrap();
        moved == COUNT
    })
    .await;
    let runs = redis.command_count(&["hmget"]).await - before;
    assert!(runs as usize >= COUNT / 8, "{runs} runs");
    let contents = Contents::of(&redis).await;
    assert!(contents.ordering.is_empty() && contents.timeouts.is_empty());
}

/// A member of a megabyte.
fn large_member(i: usize) -> Vec<u8> {
    let id = MemberId::from(rand::random::<[u8; 8]>());
    pack(&id, &vec![i as u8; 1_000_000]).to_vec()
}

/// Small members that are due stand between large ones that are not.
#[tokio::test]
async fn small_members_between_large_ones_are_moved_without_reading_these() {
    const COUNT: usize = 60;
    let redis = RedisServer::start().await;
    let (mut members, mut stay) = (Vec::new(), Vec::new());
    for i in 0..COUNT {
        let large = large_member(i);
        stay.push(large.clone());
        members.push((large, far_away(i)));
        members.push((Writer::Java.member(i), 1_000.0 + i as f64));
    }
    for some in members.chunks(10) {
        schedule(&redis, some).await;
    }
    let _queue = orders(&redis.url()).await;
    eventually(SOON, "all small ones are moved", async || {
        let mut connection = redis.connection().await;
        let moved: usize = connection.llen(keys().target()).await.unwrap();
        moved == COUNT
    })
    .await;
    let info: redis::InfoDict = redis.run(&["INFO", "memory"]).await;
    let in_lua: usize = info.get("used_memory_lua").unwrap();
    assert!(in_lua < 30_000_000, "{in_lua} bytes");
    let contents = Contents::of(&redis).await;
    assert!(contents.ordering == stay);
    assert_eq!(contents.timeouts.len(), COUNT);
}

/// Unreadable members are looked for in all of the list, so a flood of them must come in portions.
#[tokio::test]
async fn a_flood_of_unreadable_members_is_set_aside_among_what_can_be_read() {
    let redis = RedisServer::start().await;
    let now = server_ms(&redis).await as f64;
    let members: Vec<_> = (0..3_000)
        .map(|i| match i % 2 {
            0 => (Writer::Java.member(i), now - 1_000.0),
            _ => (format!("x{i}").into_bytes(), now - 1_000.0),
        })
        .collect();
    schedule(&redis, &members).await;
    let _queue = orders(&redis.url()).await;
    eventually(SOON, "each is where it belongs", async || {
        let contents = Contents::of(&redis).await;
        contents.target.len() == 1_500
            && contents.quarantine.len() == 1_500
            && contents.ordering.is_empty()
    })
    .await;
    let contents = Contents::of(&redis).await;
    assert!(contents.ordering.is_empty() && contents.timeouts.is_empty());
}
