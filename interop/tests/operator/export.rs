//! A queue moves to another server in a file, and back, and Redisson goes on with it.

use std::time::Duration;

use interop::peer::{Peer, Taken};
use testbed::Directory;

use crate::{
    queue::{Queue, each_once},
    rdq,
};

/// The due times have another order than the offers, and some payloads are no plain words.
#[test]
fn redisson_reads_an_imported_queue_as_it_was_and_what_it_changes_there_comes_back() {
    let (mut here, mut there) = (Queue::start(), Queue::start());
    let mut java = here.java("4.7.0");
    java.open_offering("q", "orders", "string");
    for i in 0..COUNT {
        java.offer("q", delay(i), value(i));
    }
    for ready in ["ready 1", "ready 2"] {
        java.target_offer("q", ready);
    }

    carry(&here, &there);
    assert_eq!(there.scores(), here.scores());
    let mut other = there.java("4.7.0");
    other.open_offering("q", "orders", "string");
    assert_eq!(other.read_all("q"), java.read_all("q"));
    assert_eq!(other.size("q"), COUNT);
    assert!(other.remove("q", value(3)));
    other.offer("q", delay(COUNT), value(COUNT));
    assert_eq!(text(other.poll("q", IDLE)), Some("ready 1".to_owned()));

    java.clear("q");
    each_once(
        java.drain("q", IDLE),
        ["ready 1", "ready 2"].map(str::to_owned),
    );
    carry(&there, &here);
    assert_eq!(here.scores(), there.scores());
    let offered = (0..=COUNT).filter(|i| *i != 3);
    let values: Vec<_> = offered.clone().map(|i| value(i).into_bytes()).collect();
    assert_eq!(java.read_all("q"), values);

    for (queue, peer) in [(&mut here, &mut java), (&mut there, &mut other)] {
        peer.open("q", "orders", "string");
        queue.bring_forward(YEARS + 31 * DAY);
        let mut by_due: Vec<_> = offered.clone().collect();
        by_due.sort_by_key(|i| delay(*i));
        let expected = by_due.into_iter().map(value);
        let expected: Vec<_> = ["ready 2".to_owned()].into_iter().chain(expected).collect();
        assert_eq!(drained(peer), expected);
        assert_eq!(peer.size("q"), 0);
    }
}

/// Exports the queue from one server and imports it on the other.
fn carry(from: &Queue, to: &Queue) {
    let files = Directory::new();
    let file = &files.file("exported");
    let exported = rdq(from, &["export", "orders", "-o", file]);
    assert_eq!(exported.code, 0, "{exported:?}");
    let imported = rdq(to, &["import", "orders", file]);
    assert_eq!(imported.code, 0, "{imported:?}");
    assert_eq!(imported.rows[0]["known"], 0, "{imported:?}");
}

fn drained(peer: &mut Peer) -> Vec<String> {
    let taken = peer.drain("q", IDLE).into_iter();
    taken.filter_map(|it| text(Some(it))).collect()
}

fn text(taken: Option<Taken>) -> Option<String> {
    taken.map(|it| String::from_utf8(it.value).expect("values are text"))
}

fn value(i: usize) -> String {
    match i % 3 {
        0 => format!("order {i}"),
        1 => format!("заказ \"{i}\"\n\t\\"),
        _ => format!("{i}{}", "x".repeat(100_000)),
    }
}

/// Days apart, so that the moments of the offers do not matter.
fn delay(i: usize) -> Duration {
    YEARS + (i * 17 % 31) as u32 * DAY
}

const COUNT: usize = 30;
/// Later than any test runs: elements become due only when the test makes them due.
const YEARS: Duration = Duration::from_secs(10 * 365 * 86_400);
const DAY: Duration = Duration::from_secs(86_400);
/// Longer than elements stay away, also on a busy machine.
const IDLE: Duration = Duration::from_secs(4);
