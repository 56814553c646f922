//! Who moves due elements, and who does not.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use redis::cmd;

use crate::broken::{Broken, new};
use crate::room::Effect::Mends;
use crate::room::{Room, Visit, client, open};

pub(super) static ROOMS: [Room; 6] = [
    Room {
        name: "overdue elements, and nobody listens",
        finding: "stall",
        build: || {
            let (visit, mut queue) = Visit::to_quiet();
            overdue(&mut queue, 1);
            visit
        },
        advice: &[("transfer", Mends)],
    },
    Room {
        name: "overdue elements, and whoever listens does nothing",
        finding: "stall",
        build: || {
            let (visit, mut queue) = Visit::to_deaf();
            overdue(&mut queue, 1);
            visit
        },
        advice: &[("transfer", Mends)],
    },
    Room {
        name: "pending elements, and nobody listens",
        finding: "waiting",
        build: || Visit::to_quiet().0,
        advice: &[("transfer", Mends)],
    },
    Room {
        name: "a pause",
        finding: "paused",
        build: || paused().0,
        advice: &[("resume", Mends)],
    },
    Room {
        name: "a pause with overdue elements",
        finding: "paused",
        build: || {
            let (visit, mut queue) = paused();
            overdue(&mut queue, 1);
            visit
        },
        advice: &[("resume", Mends)],
    },
    Room {
        name: "a backlog that shrinks slowly",
        finding: "backlog",
        build: || {
            let (mut visit, mut queue) = Visit::to_taken();
            overdue(&mut queue, 5_000);
            visit.keep(SlowMover::of(&visit, &queue));
            visit
        },
        advice: &[("transfer", Mends)],
    },
];

/// Offers so many elements that have been due for a minute.
fn overdue(queue: &mut Broken, count: u64) {
    let past = (queue.now_ms() - 60_000).to_string();
    (0..count).for_each(|id| queue.offer(&new(100 + id, b"overdue"), &past));
}

/// A queue that somebody paused, beside a client that would move its elements.
fn paused() -> (Visit, Broken) {
    let (visit, queue) = Visit::to_moved();
    let (runtime, client) = client(&visit.server, false);
    runtime
        .block_on(async { open(&client).pause().await })
        .unwrap();
    (visit, queue)
}

/// Moves an element every 20 ms, as a Java service does with a long ordering list.
struct SlowMover(Arc<AtomicBool>);

impl SlowMover {
    fn of(visit: &Visit, queue: &Broken) -> Self {
        const MOVE: &str = "
            local now = redis.call('TIME')[1] * 1000
            local member = redis.call('ZRANGEBYSCORE', KEYS[1], 0, now, 'LIMIT', 0, 1)[1]
            if member then
                redis.call('ZREM', KEYS[1], member)
                redis.call('LREM', KEYS[2], 1, member)
                redis.call('RPUSH', KEYS[3], 'overdue')
            end";
        let ended = Arc::new(AtomicBool::new(false));
        let is_over = Arc::clone(&ended);
        let keys = queue.keys.clone();
        let mut connection = visit.server.connection();
        thread::spawn(move || {
            let mut command = cmd("EVAL");
            command.arg(MOVE).arg(3).arg(keys.timeouts());
            command.arg(keys.ordering()).arg(keys.target());
            while !is_over.load(Ordering::Relaxed) && command.exec(&mut connection).is_ok() {
                thread::sleep(Duration::from_millis(20));
            }
        });
        Self(ended)
    }
}

impl Drop for SlowMover {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
