//! What many calls and many clients cost, in virtual time: no figure depends on the machine.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

use std::{collections::BTreeMap, time::Duration};

use futures::future::try_join_all;
use redisson_delayed_queue::{Client, ClientBuilder, DelayedQueue, Selector, codec::StringCodec};
use tokio::{
    task::{LocalSet, spawn_local},
    time::{Instant, sleep, sleep_until, timeout},
};

mod redis;
mod traces;

use redis::{ROUND_TRIP, Redis};

/// Settings under which nothing is found by polling.
fn never_polling() -> ClientBuilder {
    Client::builder().safety_poll(Duration::from_secs(3_600))
}

async fn orders(redis: &Redis, builder: ClientBuilder) -> DelayedQueue<String> {
    let client = redis.client(builder).await;
    client.delayed_queue("orders", StringCodec).unwrap()
}

/// Only offers, and moves nothing.
async fn producer(redis: &Redis) -> DelayedQueue<String> {
    orders(redis, Client::builder().transfer(false)).await
}

/// Starts clients that take whatever comes.
async fn takers(redis: &Redis, count: usize, builder: ClientBuilder) {
    for _ in 0..count {
        let queue = orders(redis, builder.clone()).await;
        spawn_local(async move { while queue.take().await.is_ok() {} });
    }
    // Until all have heard of each other.
    sleep(100 * ROUND_TRIP).await;
}

/// Offers elements that are due at once, until it is found who leads.
async fn settle(producer: &DelayedQueue<String>) {
    for _ in 0..5 {
        producer
            .offer(&"x".to_owned(), Duration::ZERO)
            .await
            .unwrap();
        sleep(100 * ROUND_TRIP).await;
    }
}

/// How many there are in all, without those that ask whether the server is there.
fn total(commands: &BTreeMap<String, usize>) -> usize {
    let counts = commands.iter().filter(|(name, _)| *name != "time");
    counts.map(|(_, count)| count).sum()
}

/// One claim for each element would make a loop as slow as the network.
#[tokio::test(start_paused = true)]
async fn a_loop_over_several_queues_is_served_ahead() {
    for batch in [1, 10] {
        let tasks = LocalSet::new();
        let (scripts, time) = tasks.run_until(scripts_of_loop(batch)).await;
        assert!(scripts < LOOPS / 2, "{scripts} scripts for {LOOPS} calls");
        let calls = u32::try_from(LOOPS).unwrap();
        assert!(time < ROUND_TRIP * calls / 4, "{LOOPS} calls took {time:?}");
    }
}

const LOOPS: usize = 200;

/// How many scripts that many calls need, each for a batch, over three full queues, and how long they take.
async fn scripts_of_loop(batch: usize) -> (usize, Duration) {
    let redis = Redis::start();
    let names = ["a", "b", "c"];
    for name in names {
        redis.push(name, LOOPS * batch);
    }
    let client = redis.client(never_polling()).await;
    let queues = names.map(|it| client.blocking_queue(it, StringCodec).unwrap());
    let selector: Selector<String> = Selector::new(queues);
    let began = Instant::now();
    redis.take_commands();
    let mut taken = 0;
    while taken < LOOPS * batch {
        let wait = 100 * ROUND_TRIP;
        taken += match batch {
            1 => selector.poll(wait).await.unwrap().into_iter().count(),
            _ => selector.take_many(batch, wait).await.unwrap().len(),
        };
    }
    let time = began.elapsed();
    let scripts = total(&redis.take_commands());
    client.shutdown().await.unwrap();
    (scripts, time)
}

/// A client sends something for each queue as soon as it is connected. If it gave the connection up before it has all
/// answers, it would send all of it again over the next one, without end.
#[tokio::test(start_paused = true)]
async fn many_queues_are_served_over_one_slow_connection() {
    const QUEUES: usize = 100;
    const RESPONSE_TIMEOUT: Duration = Duration::from_secs(1);
    let serve = async {
        let redis = Redis::slow(4);
        let client = redis
            .client(never_polling().response_timeout(RESPONSE_TIMEOUT))
            .await;
        let mut takes = Vec::new();
        for number in 0..QUEUES {
            let name = format!("queue-{number}");
            redis.push(&name, 1);
            let queue = client
                .delayed_queue::<String, _>(name, StringCodec)
                .unwrap();
            takes.push(async move { queue.take().await });
        }
        try_join_all(takes).await.unwrap();
        client.shutdown().await.unwrap();
        assert_eq!(redis.connections(), 3);
        redis.passed()
    };
    let time = LocalSet::new().run_until(serve).await;
    assert!(time > 3 * RESPONSE_TIMEOUT, "nothing was slow: {time:?}");
}

/// [E3] Each due element made twenty clients send some eighty commands, where one sends four.
#[tokio::test(start_paused = true)]
async fn twenty_idle_clients_send_little_more_for_an_element_than_one() {
    for pace in [100, 5] {
        let pace = Duration::from_millis(pace);
        let one = LocalSet::new().run_until(cost(1, pace)).await;
        let twenty = LocalSet::new().run_until(cost(20, pace)).await;
        let most = total(&one) * 5 / 4;
        assert!(total(&one) <= 8 * ELEMENTS, "{one:?}");
        assert!(
            total(&twenty) <= most,
            "each {pace:?}: {twenty:?} and {one:?}"
        );
    }
}

const ELEMENTS: usize = 100;

/// What a producer and `clients` idle clients send for that many elements, one of which becomes due each `pace`.
async fn cost(clients: usize, pace: Duration) -> BTreeMap<String, usize> {
    let redis = Redis::start();
    let producer = producer(&redis).await;
    takers(&redis, clients, never_polling()).await;
    settle(&producer).await;
    redis.take_commands();
    let start = Instant::now();
    for i in (0..).take(ELEMENTS) {
        let delay = Duration::from_millis(50);
        producer.offer(&"x".to_owned(), delay).await.unwrap();
        sleep_until(start + pace * i).await;
    }
    sleep(1_000 * ROUND_TRIP).await;
    redis.take_commands()
}

/// An idle client looks once a safety poll, with two commands, and that is all, however many there are.
#[tokio::test(start_paused = true)]
async fn idle_clients_send_two_commands_a_second_at_the_most() {
    let commands = async {
        let redis = Redis::start();
        let producer = producer(&redis).await;
        takers(&redis, 5, Client::builder()).await;
        settle(&producer).await;
        // Until those that follow have asked to be told of changes.
        sleep(Duration::from_secs(2)).await;
        redis.take_commands();
        sleep(Duration::from_secs(10)).await;
        redis.take_commands()
    };
    let commands = LocalSet::new().run_until(commands).await;
    let count: usize = commands.values().sum();
    assert!(count <= 2 * 5 * 10, "{commands:?}");
}

/// What is due stays due, so a client that looked again at once would do so for ever.
#[tokio::test(start_paused = true)]
async fn a_pause_costs_a_few_looks_a_safety_poll() {
    let commands = async {
        let redis = Redis::start();
        let queue = orders(&redis, Client::builder()).await;
        queue.pause().await.unwrap();
        for _ in 0..10 {
            queue.offer(&"x".to_owned(), Duration::ZERO).await.unwrap();
        }
        redis.push("orders", 1);
        for from_last in [false, true] {
            let target = queue.destination();
            spawn_local(async move {
                let taken = match from_last {
                    true => target.take_last().await,
                    false => target.take().await,
                };
                panic!("{taken:?} although the queue is paused");
            });
        }
        sleep(Duration::from_secs(1)).await;
        redis.take_commands();
        sleep(Duration::from_secs(10)).await;
        redis.take_commands()
    };
    let commands = LocalSet::new().run_until(commands).await;
    // The transfer, a look at the pause, and a claim for each end.
    let looks = ["evalsha", "hexists"]
        .iter()
        .filter_map(|it| commands.get(*it));
    assert!(looks.sum::<usize>() <= 4 * 11, "{commands:?}");
}

/// A client that only offers is as good as any to move what is due, and lets the others lead.
#[tokio::test(start_paused = true)]
async fn a_client_without_takers_leaves_elements_to_those_who_wait() {
    let commands = async {
        let redis = Redis::start();
        let offering = orders(&redis, never_polling()).await;
        takers(&redis, 5, never_polling()).await;
        redis.take_commands();
        for _ in 0..ELEMENTS {
            offering
                .offer(&"x".to_owned(), Duration::ZERO)
                .await
                .unwrap();
            // Until no follower is about to move it as well.
            sleep(100 * ROUND_TRIP).await;
        }
        redis.take_commands()
    };
    let commands = LocalSet::new().run_until(commands).await;
    // One more of each of the five that take would be eleven.
    assert!(total(&commands) <= 8 * ELEMENTS, "{commands:?}");
}

/// Redis remembers for a minute what a call has taken out. Whatever a dropped call took must come back.
#[tokio::test(start_paused = true)]
async fn a_long_poll_of_pending_elements_ends_while_all_of_them_can_be_put_back() {
    const COUNT: usize = 20_000;
    let poll = async {
        let redis = Redis::slow(8);
        let queue = orders(&redis, Client::builder().transfer(false)).await;
        let values = (0..COUNT).map(|it| (it.to_string(), Duration::from_secs(36_000)));
        queue.offer_all(values).await.unwrap();
        let pending = queue.pending();
        let polling = timeout(Duration::from_secs(70), pending.poll_many(usize::MAX));
        let polled = polling.await.map_or(0, |polled| polled.unwrap().len());
        sleep(Duration::from_secs(10)).await;
        assert!(polled < COUNT, "all were there in time");
        assert_eq!(pending.len().await.unwrap() + polled, COUNT);
    };
    LocalSet::new().run_until(poll).await;
}
