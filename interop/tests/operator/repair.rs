//! What breaks a queue of Redisson 4.7.0, found by `rdq doctor` and put right by `rdq repair`.

use std::time::Duration;

use bytes::Bytes;
use redisson_delayed_queue::packed::{MemberId, pack};
use testbed::Directory;

use crate::{
    finding,
    queue::{Queue, each_once},
    rdq,
};

/// A queue to which only Java has offered: `good-0` to `good-9`, in ten years.
fn offered() -> (Queue, interop::peer::Peer) {
    let queue = Queue::start();
    let mut java = queue.java("4.7.0");
    java.open_offering("q", "orders", "string");
    for i in 0..10 {
        java.offer(
            "q",
            Duration::from_secs(10 * 365 * 86_400),
            format!("good-{i}"),
        );
    }
    (queue, java)
}

fn good() -> impl Iterator<Item = String> {
    (0..10).map(|i| format!("good-{i}"))
}

fn repair(queue: &Queue, kind: &str, count: u64, more: &[&str]) {
    let files = Directory::new();
    let backup = files.file("backup");
    let apply = ["repair", "orders", "--apply", "--yes", "--backup", &backup];
    let done = rdq(queue, &[&apply[..], more].concat());
    assert_eq!(done.code, 0, "{done:?}");
    assert_eq!(done.rows.len(), 1, "{done:?}");
    assert_eq!(done.rows[0]["fix"], kind);
    assert_eq!(done.rows[0]["done"], count);
}

/// Before 3.16.4, Redisson sent an offer again when the reply was late. The script is the same today.
#[test]
fn the_ghost_of_a_resent_offer_is_handed_out_again_until_it_is_repaired() {
    let (mut queue, mut java) = offered();
    // What the second run of the script does: the set has the member, the list takes it again.
    let resent: Vec<Bytes> = queue.entries().into_iter().take(3).collect();
    let (timeouts, ordering) = (
        queue.keys.timeouts().to_owned(),
        queue.keys.ordering().to_owned(),
    );
    let scores = queue.scores();
    for member in &resent {
        queue.run::<()>("ZADD", (&timeouts, scores[member], &member[..]));
        queue.run::<()>("RPUSH", (&ordering, &member[..]));
    }
    let examined = rdq(&queue, &["doctor", "orders"]);
    assert_eq!(finding(&examined, "repeats")["count"], 3);

    java.open("q", "orders", "string");
    queue.make_due();
    each_once(java.drain("q", IDLE), good());
    assert_eq!(
        java.size("q"),
        3,
        "delivered elements that Java still counts"
    );
    let examined = rdq(&queue, &["doctor", "orders"]);
    assert_eq!(finding(&examined, "orphans")["count"], 3);
    assert_eq!(examined.code, 6, "the timeout set may have been lost");
    repair(&queue, "ghosts", 3, &["--ghosts", "drop"]);
    assert_eq!(java.size("q"), 0);
    assert_eq!(java.peek("q"), None);
    java.offer("q", Duration::ZERO, "next");
    each_once(java.drain("q", IDLE), ["next".to_owned()]);
}

/// Redisson delivers the good ones before it every 5 s, and none behind it.
#[test]
fn a_malformed_member_goes_before_it_stops_redisson() {
    let (mut queue, mut java) = offered();
    let middle = queue
        .scores()
        .into_values()
        .nth(5)
        .expect("ten are pending");
    let bad = Bytes::from_static(b"\x08no member");
    let (timeouts, ordering) = (
        queue.keys.timeouts().to_owned(),
        queue.keys.ordering().to_owned(),
    );
    queue.run::<()>("ZADD", (&timeouts, middle, &bad[..]));
    queue.run::<()>("RPUSH", (&ordering, &bad[..]));
    let examined = rdq(&queue, &["doctor", "orders"]);
    assert_eq!(finding(&examined, "malformed")["count"], 1);
    assert_eq!(examined.code, 6);
    repair(&queue, "malformed", 1, &[]);

    java.open("q", "orders", "string");
    queue.make_due();
    // Longer than the 5 s after which Redisson tries again.
    each_once(java.drain("q", Duration::from_secs(7)), good());
    let quarantine = queue.keys.quarantine().to_owned();
    let kept: Vec<Vec<u8>> = queue.run("ZRANGE", (quarantine, 0, -1));
    assert_eq!(kept, [bad.to_vec()]);
}

/// Its range begins at 0, so Redisson never moves it, and asks for it without pause.
#[test]
fn an_element_with_a_negative_due_time_is_delivered_once_it_is_repaired() {
    let (mut queue, mut java) = offered();
    let negative = pack(&MemberId::from(*b"negative"), b"negative");
    let (timeouts, ordering) = (
        queue.keys.timeouts().to_owned(),
        queue.keys.ordering().to_owned(),
    );
    queue.run::<()>("ZADD", (&timeouts, -5, &negative[..]));
    queue.run::<()>("RPUSH", (&ordering, &negative[..]));
    let examined = rdq(&queue, &["doctor", "orders"]);
    assert_eq!(finding(&examined, "scores")["count"], 1);
    repair(&queue, "scores", 1, &[]);
    java.open("q", "orders", "string");
    each_once(java.drain("q", IDLE), ["negative".to_owned()]);
    queue.make_due();
    each_once(java.drain("q", IDLE), good());
}

/// The stall that everybody meets: the only process that moved has gone.
#[test]
fn a_queue_whose_mover_has_gone_is_found_and_one_that_has_a_mover_is_well() {
    let (mut queue, mut java) = offered();
    java.offer("q", Duration::ZERO, "overdue");
    testbed::until("the element is overdue for long enough", || {
        let examined = rdq(&queue, &["doctor", "orders"]);
        let stall = examined.rows.iter().find(|it| it["check"] == "stall");
        let is_critical = stall.is_some_and(|it| it["severity"] == "critical" && it["count"] == 1);
        is_critical
            .then_some(())
            .ok_or_else(|| format!("{:?}", examined.rows))
    });
    java.open("q", "orders", "string");
    queue.await_movers(1);
    each_once(java.drain("q", IDLE), ["overdue".to_owned()]);
    let examined = rdq(&queue, &["doctor", "orders"]);
    assert!(
        examined.rows.iter().all(|it| it["check"] != "stall"),
        "{examined:#?}"
    );
    drop(java);
}

/// `retainAll` forgets the timeout set: the elements come all the same, and Java cannot see them.
#[test]
fn elements_that_left_the_ordering_list_alone_can_be_seen_again() {
    let (mut queue, mut java) = offered();
    let forgotten = queue.entries()[4].clone();
    let ordering = queue.keys.ordering().to_owned();
    queue.run::<()>("LREM", (&ordering, 1, &forgotten[..]));
    assert!(!java.contains("q", "good-4"));
    let examined = rdq(&queue, &["doctor", "orders"]);
    assert_eq!(finding(&examined, "unlisted")["count"], 1);
    repair(&queue, "unlisted", 1, &[]);
    assert!(java.contains("q", "good-4"));
    assert!(java.remove("q", "good-4"));
    java.open("q", "orders", "string");
    queue.make_due();
    each_once(java.drain("q", IDLE), good().filter(|it| it != "good-4"));
}

/// Longer than elements stay away, also on a busy machine.
const IDLE: Duration = Duration::from_secs(4);
