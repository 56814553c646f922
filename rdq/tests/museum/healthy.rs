//! Healthy queues under load: nothing is found.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use testbed::Server;

use crate::room::{Visit, client, durable, open};
use crate::walk::found;

/// How often to look while a Rust client offers, moves and takes.
const LOOKS: usize = 20;

/// The same, for a queue that takes long to look at.
const FEW_LOOKS: usize = 5;

#[test]
fn nothing_is_found_in_a_queue_that_works_hard() {
    let server = Server::with(&durable());
    let (runtime, client) = client(&server, true);
    let is_over = Arc::new(AtomicBool::new(false));
    let queue = runtime.block_on(async { open(&client) });
    let (offered, taken) = (queue.clone(), queue.clone());
    let over = Arc::clone(&is_over);
    let offers = runtime.spawn(async move {
        let mut delays = (0..200).cycle();
        while !over.load(Ordering::Relaxed) {
            let delay = Duration::from_millis(delays.next().unwrap_or(0));
            offered.offer(&"order".to_owned(), delay).await.unwrap();
        }
    });
    let takes = runtime.spawn(async move {
        loop {
            taken.take().await.unwrap();
        }
    });
    let visit = Visit::to(&server);
    visit.wait_for_listener(&server);
    find_nothing(&visit, LOOKS);
    is_over.store(true, Ordering::Relaxed);
    runtime.block_on(offers).unwrap();
    takes.abort();
}

/// Counts that are not taken at one moment differ by what came and went between the commands.
#[test]
fn nothing_is_found_in_a_large_queue_that_java_moves() {
    const OFFER: &str = "
        for i = ARGV[1], ARGV[2] do
            local member = struct.pack('Bc0Lc0', 8, string.format('%08d', i), 5, 'order')
            redis.call('ZADD', KEYS[1], ARGV[3] + i, member)
            redis.call('RPUSH', KEYS[2], member)
        end";
    const MOVE: &str = "
        for _, member in ipairs(redis.call('ZRANGE', KEYS[1], 0, 199)) do
            redis.call('ZREM', KEYS[1], member)
            redis.call('LREM', KEYS[2], 1, member)
        end";
    let (visit, mut queue) = Visit::to_taken();
    let later = queue.later();
    let keys = queue.keys.clone();
    queue.run::<()>("DEL", (keys.timeouts(), keys.ordering()));
    let is_over = Arc::new(AtomicBool::new(false));
    let over = Arc::clone(&is_over);
    let more = (1, 10_000, &later);
    queue.run::<()>("EVAL", (OFFER, 2, keys.timeouts(), keys.ordering(), more));
    let java = thread::spawn(move || {
        let mut first = 10_001;
        while !over.load(Ordering::Relaxed) {
            queue.run::<()>("EVAL", (MOVE, 2, keys.timeouts(), keys.ordering()));
            let last = first + 199;
            let more = (first, last, &later);
            queue.run::<()>("EVAL", (OFFER, 2, keys.timeouts(), keys.ordering(), more));
            first += 200;
            // Redis has time for others.
            thread::sleep(Duration::from_millis(5));
        }
    });
    find_nothing(&visit, FEW_LOOKS);
    is_over.store(true, Ordering::Relaxed);
    java.join().unwrap();
}

/// A process of Java offers, moves and takes over a few connections, and more comes than it takes.
#[test]
fn nothing_is_found_while_connections_take_between_other_work() {
    let (visit, mut queue) = Visit::to_deaf();
    let keys = queue.keys.clone();
    let is_over = Arc::new(AtomicBool::new(false));
    let over = Arc::clone(&is_over);
    let java = thread::spawn(move || {
        while !over.load(Ordering::Relaxed) {
            queue.run::<()>("RPUSH", (keys.target(), "order", "order"));
            queue.run::<()>("LPOP", keys.target());
            queue.run::<()>("ZCARD", keys.timeouts());
            thread::sleep(Duration::from_millis(5));
        }
    });
    find_nothing(&visit, FEW_LOOKS);
    is_over.store(true, Ordering::Relaxed);
    java.join().unwrap();
}

/// Looks so many times.
fn find_nothing(visit: &Visit, looks: usize) {
    for look in 0..looks {
        let found = found(visit);
        assert!(found.is_empty(), "at look {look}: {found:#?}");
    }
}
