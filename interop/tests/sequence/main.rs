//! Random sequences of calls by both languages on one queue.
//!
//! Whatever they do, the ordering list and the timeout set hold the same members, and every element
//! is in one place in the end. `SEQUENCES` says how many sequences to run with each version, 5
//! unless it is set. The seed of each is printed; `SEED` repeats one, as far as the calls of two
//! processes at the same time can be repeated.

use std::{
    env,
    time::{Duration, Instant},
};

use interop::{peer::Peer, random};
use rand::{
    RngExt, SeedableRng,
    rngs::StdRng,
    seq::{IndexedRandom, WeightError},
};
use redis::Connection;
use redisson_delayed_queue::{Client, DelayedQueue, codec::StringCodec};
use testbed::Server;
use tokio::runtime::Runtime;

use ledger::Ledger;
use operation::{JavaCall, Pick, RustCall};
use snapshot::Snapshot;

mod ledger;
mod operation;
mod snapshot;

#[test]
fn redisson_3_21_1_and_rust_keep_list_and_set_together_and_lose_nothing() {
    run("3.21.1");
}

#[test]
fn redisson_3_23_4_and_rust_keep_list_and_set_together_and_lose_nothing() {
    run("3.23.4");
}

#[test]
fn redisson_3_52_0_and_rust_keep_list_and_set_together_and_lose_nothing() {
    run("3.52.0");
}

#[test]
fn redisson_4_7_0_and_rust_keep_list_and_set_together_and_lose_nothing() {
    run("4.7.0");
}

fn run(version: &str) {
    let runtime = Runtime::new().expect("the system has threads");
    let server = Server::start();
    let mut java = Peer::java(version, &server.url());
    let client = runtime.block_on(Client::connect(server.url()));
    let client = client.expect("the private redis accepts connections");
    let count = env::var("SEQUENCES").map(|it| it.parse().expect("SEQUENCES is a number"));
    let count: u64 = count.unwrap_or(5);
    let first = random::seed();
    for i in 0..count {
        let seed = first + i;
        println!("{version}: SEED={seed}");
        let name = format!("sequence-{i}");
        java.open(HANDLE, &name, "string");
        let queue = client.delayed_queue(&name, StringCodec);
        let mut sequence = Sequence {
            runtime: &runtime,
            java: &mut java,
            queue: queue.expect("the client is open"),
            redis: server.connection(),
            random: StdRng::seed_from_u64(seed),
            ledger: Ledger::default(),
            steps: Vec::new(),
        };
        sequence.run();
        java.destroy(HANDLE);
    }
}

/// One queue, both languages, and what they did so far.
struct Sequence<'a> {
    runtime: &'a Runtime,
    java: &'a mut Peer,
    queue: DelayedQueue<String>,
    redis: Connection,
    random: StdRng,
    ledger: Ledger,
    /// What failures show.
    steps: Vec<String>,
}

impl Sequence<'_> {
    fn run(&mut self) {
        let (of_java, of_rust) = (operation::of_java(), operation::of_rust());
        for i in 0..CALLS / 2 {
            let chosen = self.choose(&of_java, |call| call.weight);
            let (java, of_java) = (&of_java[chosen], self.pick(&format!("j{i}"), ""));
            let chosen = self.choose(&of_rust, |call| call.weight);
            let (rust, of_rust) = (
                &of_rust[chosen],
                self.pick(&format!("r{i}"), &of_java.fresh),
            );
            self.step(java, &of_java, rust, &of_rust);
        }
        self.finish();
    }

    /// One call of each language at the same time.
    fn step(&mut self, java: &JavaCall, of_java: &Pick, rust: &RustCall, of_rust: &Pick) {
        let before = self.snapshot();
        let line = java.line(self.queue.name(), of_java);
        self.java.start(&line);
        let by_rust = (rust.run)(self.runtime, &self.queue, of_rust);
        let by_java = java.done(self.java.finish());
        self.steps.push(format!("{line}: {by_java:?}"));
        self.steps.push(format!("rust {}: {by_rust:?}", rust.name));
        let pending = before.payloads();
        self.ledger.note(by_java, of_java, &pending, of_rust);
        self.ledger.note(by_rust, of_rust, &pending, of_java);
        self.snapshot();
    }

    /// Waits for elements that are nearly due, takes them, and counts.
    fn finish(&mut self) {
        let deadline = Instant::now() + PATIENCE;
        while self.snapshot().has_any_due_within(LONG / 2) {
            assert!(Instant::now() < deadline, "not moved: {}", self.history());
            std::thread::sleep(Duration::from_millis(5));
        }
        while let Some(value) = self
            .runtime
            .block_on(self.queue.try_take())
            .expect("redis delivers")
        {
            self.ledger.gone(value);
        }
        let left = self.snapshot();
        for value in left.payloads() {
            self.ledger.gone(value);
        }
        let wrong = self.ledger.wrong();
        assert!(wrong.is_empty(), "{wrong:#?}\n{}", self.history());
    }

    /// What is pending. The list and the set are read by one script, so neither language is in the
    /// midst of a change.
    fn snapshot(&mut self) -> Snapshot {
        let snapshot = Snapshot::read(&mut self.redis, self.queue.name());
        let differing = snapshot.differing();
        assert!(differing.is_empty(), "{differing:#?}\n{}", self.history());
        snapshot
    }

    fn choose<T>(&mut self, calls: &[T], weight: impl Fn(&T) -> u32) -> usize {
        let indices: Vec<usize> = (0..calls.len()).collect();
        let chosen: Result<&usize, WeightError> =
            indices.choose_weighted(&mut self.random, |i| weight(&calls[*i]));
        *chosen.expect("calls have weights")
    }

    /// The arguments of a call, while the other language may offer `meanwhile`.
    fn pick(&mut self, fresh: &str, meanwhile: &str) -> Pick {
        let delay = match self.random.random_bool(0.6) {
            true => Duration::from_millis(self.random.random_range(0..=40)),
            false => LONG,
        };
        let offered = self.ledger.offered();
        let known = offered.choose(&mut self.random).cloned();
        let others = offered.iter().map(|it| it.value.clone());
        let others = others.filter(|value| known.as_ref().is_none_or(|it| it.value != *value));
        Pick {
            fresh: fresh.to_owned(),
            delay,
            others: others.chain([meanwhile.to_owned()]).collect(),
            known,
        }
    }

    fn history(&self) -> String {
        self.steps.join("\n")
    }
}

/// What the Java peer calls the queue.
const HANDLE: &str = "q";

/// How many calls a sequence has, half of them of each language.
const CALLS: usize = 200;

/// A delay longer than any sequence.
const LONG: Duration = Duration::from_secs(600);

const PATIENCE: Duration = Duration::from_secs(30);
