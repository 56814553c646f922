//! Healthy queues of real Redisson: `rdq` finds nothing while elements flow.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use interop::{
    operator::{operate, show},
    peer::{Peer, Taken},
    tally::assert_each_once,
};
use redisson_delayed_queue::keys::QueueKeys;
use testbed::{Server, Settings, until};

/// In each test, the versions, the databases and the names of queues change places.
#[test]
fn nothing_is_found_while_redisson_offers_and_moves_and_rust_takes() {
    for (version, database, name) in [
        ("4.7.0", 0, "orders"),
        ("4.7.0", 5, "{orders}"),
        ("3.52.0", 5, "late orders"),
    ] {
        let place = Place::new(database, name);
        let (mut java, mut rust) = (place.java(version), place.rust());
        java.open("q", name, "string");
        rust.open_target("q", name, "string");
        place.is_well(&mut java, &mut rust);
    }
}

#[test]
fn nothing_is_found_while_rust_offers_and_moves_and_redisson_takes() {
    for (version, database, name) in [
        ("3.52.0", 0, "{orders}"),
        ("4.7.0", 0, "late orders"),
        ("3.52.0", 5, "orders"),
    ] {
        let place = Place::new(database, name);
        let (mut java, mut rust) = (place.java(version), place.rust());
        rust.open("q", name, "string");
        java.open_target("q", name, "string");
        place.is_well(&mut rust, &mut java);
    }
}

/// Java teams use `rdq`, too. Both processes move.
#[test]
fn nothing_is_found_while_redisson_works_alone() {
    for (version, database, name) in [
        ("4.7.0", 5, "late orders"),
        ("3.52.0", 0, "orders"),
        ("3.52.0", 0, "{orders}"),
    ] {
        let place = Place::new(database, name);
        let (mut offering, mut taking) = (place.java(version), place.java(version));
        offering.open("q", name, "string");
        taking.open("q", name, "string");
        place.is_well(&mut offering, &mut taking);
    }
}

/// A queue on a server of its own, which keeps what it has.
struct Place {
    server: Server,
    url: String,
    name: &'static str,
}

impl Place {
    fn new(database: u8, name: &'static str) -> Self {
        let server = Server::with(&Settings::new().set("appendonly", "yes"));
        Self {
            url: format!("{}/{database}", server.url()),
            server,
            name,
        }
    }

    fn java(&self, version: &str) -> Peer {
        Peer::java(version, &self.url)
    }

    fn rust(&self) -> Peer {
        Peer::rust(PEER, &self.url)
    }

    /// Looks several times while one peer offers and the other takes. In the end, each element was taken
    /// once.
    fn is_well(&self, producer: &mut Peer, consumer: &mut Peer) {
        producer.offer("q", LATER, "later");
        let keys = QueueKeys::new(self.name).expect("the name is not empty");
        until("a mover listens", || {
            let count = ["PUBSUB", "NUMSUB", keys.channel()];
            let (_, count): (String, u64) = self.server.run(&count);
            (count > 0).then_some(()).ok_or("nobody".to_owned())
        });
        let is_over = AtomicBool::new(false);
        let (offered, taken) = thread::scope(|scope| {
            let offers = scope.spawn(|| offer(producer, &is_over));
            let takes = scope.spawn(|| {
                consumer.set_deadline(PATIENCE);
                consumer.drain("q", IDLE)
            });
            let over = Over(&is_over);
            (0..LOOKS).for_each(|_| self.look());
            drop(over);
            let join = "the peer works";
            (offers.join().expect(join), takes.join().expect(join))
        });
        println!("{} elements flowed through {}", offered.len(), self.name);
        assert_each_once(self.name, taken.into_iter().map(Taken::text), offered);
    }

    /// Asserts that `rdq` finds nothing wrong, in JSON and in what people see.
    fn look(&self) {
        for args in [
            &["doctor"][..],
            &["doctor", self.name],
            &["doctor", self.name, "--full"],
        ] {
            let examined = operate(PEER, &self.url, args);
            assert!(examined.rows.is_empty(), "{}: {examined:#?}", self.name);
            assert_eq!(examined.code, 0, "{}: {examined:?}", self.name);
        }
        let shown = show(PEER, &self.url, &["doctor"]);
        assert!(shown.contains("1 queue examined: all is well."), "{shown}");
        let shown = show(PEER, &self.url, &["queues"]);
        let (headings, rows) = shown.split_once('\n').expect("there is a queue");
        let note = headings.find("NOTE").expect("there is a heading");
        assert!(rows.contains("orders"), "{shown}");
        assert!(rows.lines().all(|it| it.len() <= note), "{shown}");
    }
}

/// Ends the offers, even if a look fails.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Offers with several delays until it is over, some hundred elements at once. Returns the values.
fn offer(producer: &mut Peer, is_over: &AtomicBool) -> Vec<String> {
    let mut offered = Vec::new();
    for round in 0.. {
        if is_over.load(Ordering::Relaxed) {
            break;
        }
        let (count, longest) = ROUNDS[round % ROUNDS.len()];
        let prefix = format!("order-{round}");
        producer.offer_many("q", count, longest, &prefix, round as i64);
        offered.extend((0..count).map(|i| format!("{prefix}-{i}")));
        thread::sleep(PAUSE);
    }
    offered
}

const PEER: &str = env!("CARGO_BIN_EXE_peer");

/// How many elements to offer at once, and the longest of their delays.
const ROUNDS: [(usize, Duration); 4] = [
    (300, Duration::from_millis(2_000)),
    (300, Duration::from_millis(200)),
    (500, Duration::from_millis(10)),
    (100, Duration::ZERO),
];

const PAUSE: Duration = Duration::from_millis(100);

const LOOKS: usize = 4;

/// One element stays pending.
const LATER: Duration = Duration::from_secs(3_600);

/// Longer than elements stay away, even on a busy machine.
const IDLE: Duration = Duration::from_secs(5);

/// Taking goes on as long as the looks.
const PATIENCE: Duration = Duration::from_secs(300);
