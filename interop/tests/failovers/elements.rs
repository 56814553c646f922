//! Elements pass from each peer through each peer to each peer.

use std::time::Duration;

use interop::peer::Taken;
use testbed::PATIENCE;

use crate::stage::Stage;

/// Two elements in each of 8 queues, of which the one offered last is due a minute earlier: it makes
/// a new head, so the mover must be told, wherever it has subscribed. In a cluster the queues lie on
/// all masters.
pub(crate) fn pass(stage: &mut Stage) {
    let queues: Vec<Queue> = (0..8).map(|number| Queue::open(stage, number)).collect();
    let offer = |queue: &Queue| loop {
        let before = stage.scripts(&queue.name);
        let producer = &mut stage.peers[queue.producer];
        producer.offer(&queue.offering(), Duration::from_secs(60), "late");
        producer.offer(&queue.offering(), DELAY, "early");
        if stage.scripts(&queue.name) == before + 2 {
            return stage.due_ms(&queue.name, b"early");
        }
        stage.forget_pending(&queue.name);
    };
    let dues: Vec<u64> = queues.iter().map(offer).collect();
    for (queue, due_ms) in queues.iter().zip(dues) {
        queue.take_on_time(stage, "early", due_ms);
        stage.forget_pending(&queue.name);
    }
    stage.await_empty();
}

/// A queue and the peers that offer, transfer and take.
struct Queue {
    name: String,
    producer: usize,
    mover: usize,
    consumer: usize,
}

impl Queue {
    /// Returns once one peer transfers.
    fn open(stage: &mut Stage, number: usize) -> Self {
        let queue = Self {
            name: format!("roles-{number}"),
            producer: number & 1,
            mover: number >> 1 & 1,
            consumer: number >> 2 & 1,
        };
        let [name, offering, taking] = [&queue.name, &queue.offering(), &queue.taking()];
        if queue.producer != queue.mover {
            stage.peers[queue.producer].open_offering(offering, name, "string");
        }
        stage.peers[queue.mover].open(name, name, "string");
        if queue.consumer != queue.mover {
            stage.peers[queue.consumer].open_target(taking, name, "string");
        }
        stage.await_movers(name, 1);
        queue
    }

    fn offering(&self) -> String {
        self.handle(self.producer, "offering")
    }

    fn taking(&self) -> String {
        self.handle(self.consumer, "taking")
    }

    /// The mover has one handle for everything.
    fn handle(&self, peer: usize, what: &str) -> String {
        if peer == self.mover {
            self.name.clone()
        } else {
            format!("{}-{what}", self.name)
        }
    }

    fn take_on_time(&self, stage: &mut Stage, value: &str, due_ms: u64) {
        let Self {
            name,
            producer,
            mover,
            consumer,
        } = self;
        let what = format!(
            "{}, {name} {producer}{mover}{consumer}, {value}",
            stage.what
        );
        let taken = stage.peers[*consumer].poll(&self.taking(), PATIENCE);
        assert_on_time(&what, taken, value, due_ms);
    }
}

/// Checks that this value was taken, not before it was due and soon after.
#[track_caller]
pub(crate) fn assert_on_time(what: &str, taken: Option<Taken>, value: &str, due_ms: u64) {
    let taken = taken.unwrap_or_else(|| panic!("{what}: not within {PATIENCE:?}"));
    assert_eq!(taken.value, value.as_bytes(), "{what}: took another");
    assert!(taken.micros >= due_ms * 1000, "{what}: early");
    let late = Duration::from_micros(taken.micros - due_ms * 1000);
    assert!(late < ON_TIME, "{what}: late by {late:?}");
}

/// Long enough to offer to a queue and look at it before anything moves.
const DELAY: Duration = Duration::from_secs(3);
/// How late an element may be on a busy machine. A mover that missed its wake-up is later by far.
pub(crate) const ON_TIME: Duration = Duration::from_secs(20);
