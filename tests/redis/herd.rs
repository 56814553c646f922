//! Many clients on one queue: one of them moves what is due, and elements reach whoever waits.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use redisson_delayed_queue::{Client, ClientBuilder, DelayedQueue};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{sleep, sleep_until, timeout};

use crate::fixture::{SOON, keys, never_polling, orders_with, push, take_all};
use crate::support::{Monitor, RedisServer, eventually};

mod fault;

/// Clients of the queue `orders`, each with one caller that takes, and works on each element for a
/// while.
struct Takers {
    taken: mpsc::UnboundedReceiver<(usize, String)>,
    _tasks: JoinSet<()>,
}

impl Takers {
    fn new(queues: impl IntoIterator<Item = DelayedQueue<String>>, work: Duration) -> Self {
        let (sender, taken) = mpsc::unbounded_channel();
        let mut tasks = JoinSet::new();
        for (number, queue) in queues.into_iter().enumerate() {
            let sender = sender.clone();
            tasks.spawn(async move {
                while let Ok(value) = queue.take().await {
                    let _ = sender.send((number, value));
                    sleep(work).await;
                }
            });
        }
        Self {
            taken,
            _tasks: tasks,
        }
    }

    /// The next `count` elements, and which client took each.
    async fn take(&mut self, count: usize) -> Vec<(usize, String)> {
        let mut all = Vec::new();
        while all.len() < count {
            let taken = timeout(SOON, self.taken.recv()).await;
            let taken = taken.unwrap_or_else(|_| panic!("only {} of {count} came", all.len()));
            all.push(taken.expect("the takers live"));
        }
        all
    }
}

async fn several(count: usize, builder: ClientBuilder, url: &str) -> Vec<DelayedQueue<String>> {
    let mut queues = Vec::new();
    for _ in 0..count {
        queues.push(orders_with(builder.clone(), url).await);
    }
    queues
}

/// Only offers, and moves nothing.
async fn producer(redis: &RedisServer) -> DelayedQueue<String> {
    orders_with(Client::builder().transfer(false), &redis.url()).await
}

/// Every client listens to the others.
async fn all_listen(redis: &RedisServer, count: u64) {
    eventually(SOON, "all have subscribed", async || {
        let (_, listeners): (String, u64) =
            redis.run(&["PUBSUB", "NUMSUB", &keys().moved(0)]).await;
        listeners == count
    })
    .await;
}

/// How many commands clients sent since the last time, without what scripts did and what tells nothing.
async fn sent(monitor: &mut Monitor) -> (usize, String) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for line in monitor.take().await {
        let (from, command) = line.split_once("] \"").unwrap();
        let name = command.split('"').next().unwrap().to_lowercase();
        if !from.ends_with("lua") && !["ping", "info", "subscribe"].contains(&&*name) {
            *counts.entry(name).or_default() += 1;
        }
    }
    (counts.values().sum(), format!("{counts:?}"))
}

/// How many commands `clients` idle clients send for each element, one of which becomes due each
/// `pace`: in the quietest of several rounds, for in others the machine may be busy.
async fn cost(clients: usize, pace: Duration) -> (f64, String) {
    const COUNT: usize = 10;
    let redis = RedisServer::start().await;
    let producer = producer(&redis).await;
    // All that is sent is sent for an element.
    let builder = never_polling().response_timeout(Duration::from_secs(60));
    let queues = several(clients, builder, &redis.url()).await;
    let mut takers = Takers::new(queues, Duration::ZERO);
    all_listen(&redis, clients as u64).await;
    // Until it is found who leads.
    for i in 0..5 {
        let value = format!("first {i}");
        producer.offer(&value, Duration::ZERO).await.unwrap();
        takers.take(1).await;
    }
    let mut monitor = Monitor::start(&redis).await;
    let mut rounds = Vec::new();
    for _ in 0..5 {
        let start = Instant::now();
        for i in 0..COUNT {
            let delay = Duration::from_millis(50);
            producer.offer(&i.to_string(), delay).await.unwrap();
            sleep_until((start + pace * i as u32).into()).await;
        }
        let taken = takers.take(COUNT).await;
        let mut taken: Vec<usize> = taken.iter().map(|(_, it)| it.parse().unwrap()).collect();
        taken.sort();
        assert!(taken.into_iter().eq(0..COUNT), "each comes once");
        let (total, by_name) = sent(&mut monitor).await;
        rounds.push((total.saturating_sub(COUNT), by_name));
    }
    let (least, by_name) = rounds.into_iter().min().unwrap();
    (least as f64 / COUNT as f64, by_name)
}

/// [E3] Each due element made twenty clients send some eighty commands, where one sends four. Now
/// they send seven at ten elements a second, and fewer at a higher rate. When the leader is late,
/// as on a busy machine, several move what is due before they hear of each other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_idle_clients_send_little_more_for_an_element_than_one() {
    for pace in [100, 5] {
        let pace = Duration::from_millis(pace);
        let (one, by_one) = cost(1, pace).await;
        let (twenty, by_twenty) = cost(20, pace).await;
        assert!(
            twenty <= 2.5 * one.max(4.0),
            "{twenty} commands an element each {pace:?}, of one {one}: {by_twenty} and {by_one}"
        );
    }
}

/// An idle client looks once a safety poll, with two commands, and that is all, however many there are.
#[tokio::test]
async fn idle_clients_send_two_commands_a_second_at_the_most() {
    const CLIENTS: usize = 5;
    let redis = RedisServer::start().await;
    let producer = producer(&redis).await;
    let queues = several(CLIENTS, Client::builder(), &redis.url()).await;
    let mut takers = Takers::new(queues, Duration::ZERO);
    all_listen(&redis, CLIENTS as u64).await;
    for i in 0..5 {
        producer
            .offer(&i.to_string(), Duration::ZERO)
            .await
            .unwrap();
        takers.take(1).await;
    }
    // Until those that follow have asked to be told of changes.
    sleep(Duration::from_secs(2)).await;
    let mut monitor = Monitor::start(&redis).await;
    let start = Instant::now();
    sleep(Duration::from_secs(3)).await;
    let (total, by_name) = sent(&mut monitor).await;
    // A look may be late, and come beside the next one.
    let looks = start.elapsed().as_secs_f64() + 1.0;
    let most = 2.0 * CLIENTS as f64 * looks;
    assert!(total as f64 <= most, "{total} of {most}: {by_name}");
}

/// While the client that moves what is due has its hands full, the others get what it moves.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn elements_go_to_whoever_is_idle() {
    const WORK: Duration = Duration::from_millis(50);
    const COUNT: usize = 60;
    for pace in [0, 20] {
        let redis = RedisServer::start().await;
        let producer = producer(&redis).await;
        let queues = several(3, Client::builder(), &redis.url()).await;
        let mut takers = Takers::new(queues, WORK);
        all_listen(&redis, 3).await;
        for i in 0..COUNT {
            let delay = Duration::from_millis(100 + pace * i as u64);
            producer.offer(&i.to_string(), delay).await.unwrap();
        }
        let taken = takers.take(COUNT).await;
        for client in 0..3 {
            let share = taken.iter().filter(|(by, _)| *by == client).count();
            assert!(share >= COUNT / 10, "{client} had {share} of {COUNT}");
        }
    }
}

/// A client that only offers is as good as any to move what is due, and lets the others lead.
#[tokio::test]
async fn a_client_without_takers_leaves_elements_to_those_who_wait() {
    let redis = RedisServer::start().await;
    let offering = orders_with(never_polling(), &redis.url()).await;
    let queues = several(5, never_polling(), &redis.url()).await;
    let mut takers = Takers::new(queues, Duration::ZERO);
    all_listen(&redis, 6).await;
    let mut monitor = Monitor::start(&redis).await;
    const COUNT: usize = 20;
    let mut rounds = Vec::new();
    for _ in 0..5 {
        for i in 0..COUNT {
            offering
                .offer(&i.to_string(), Duration::ZERO)
                .await
                .unwrap();
            takers.take(1).await;
        }
        rounds.push(sent(&mut monitor).await);
    }
    // In the quietest round: in others the machine may be busy. Six commands for an element are usual,
    // and one more of each of the five clients that take would be eleven.
    let (least, by_name) = rounds.into_iter().min().unwrap();
    assert!(least <= 8 * COUNT, "{least} for {COUNT}: {by_name}");
}

/// What Java moves or pushes comes without a message from any client of this crate.
#[tokio::test]
async fn a_foreign_push_reaches_a_client_that_follows_one_without_takers() {
    let redis = RedisServer::start().await;
    let [leader, follower] = several(2, never_polling(), &redis.url())
        .await
        .try_into()
        .unwrap();
    all_listen(&redis, 2).await;
    for round in 0..20 {
        // The one that takes while nobody else does leads.
        leader.offer(&"a".to_owned(), Duration::ZERO).await.unwrap();
        take_all(&leader, 1).await.unwrap();
        let waiting = tokio::spawn({
            let follower = follower.clone();
            async move { follower.poll(SOON).await }
        });
        // Also when it has come to rest.
        sleep(Duration::from_millis(5 * (round % 10))).await;
        push(&redis, &["moved"]).await;
        let taken = waiting.await.unwrap().unwrap();
        assert_eq!(taken.as_deref(), Some("moved"), "round {round}");
    }
}
