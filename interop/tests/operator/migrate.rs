//! Members of Redisson 3.20.1 become new ones while newer versions and Rust work.

use std::{
    env, thread,
    time::{Duration, Instant},
};

use crate::{
    finding,
    queue::{Queue, each_once},
    rdq,
};

/// Redisson 3.20.1 and 4.7.0 have offered, half each. While 4.7.0 and Rust offer, move and take,
/// `rdq migrate` changes the old members. Then all become due, and only 4.7.0 and Rust are there.
#[test]
fn migrate_turns_old_members_into_new_ones_on_a_live_queue() {
    let count: usize = env::var("ELEMENTS").map_or(5_000, |it| it.parse().expect("a number"));
    let mut queue = Queue::start();
    let mut older = queue.java("3.20.1");
    let mut java = queue.java("4.7.0");
    let mut rust = queue.rust();
    for peer in [&mut older, &mut java, &mut rust] {
        peer.set_deadline(Duration::from_secs(600));
        peer.open_offering("q", "orders", "string");
    }
    let half = count / 2;
    // In ten years: nothing becomes due before it is made due, however slow the machine is.
    for (peer, prefix) in [(&mut older, "old"), (&mut java, "new")] {
        offer_far(peer, half, prefix);
    }
    older.exit();
    // One of 256 old members has the same bytes in both layouts, and counts as new.
    let (old, new) = queue.layouts();
    assert_eq!(old + new, 2 * half);
    assert!(old > half * 9 / 10, "{old}");
    let examined = rdq(&queue, &["doctor", "orders", "--full"]);
    assert_eq!(finding(&examined, "format")["count"], old);
    assert_eq!(finding(&examined, "format")["severity"], "critical");
    assert_eq!(examined.code, 6);

    java.open("q", "orders", "string");
    rust.open("q", "orders", "string");
    queue.await_movers(2);
    let (places, scores) = (queue.entries(), queue.scores());
    let live = 500;
    let taken = thread::scope(|scope| {
        let work = |(seed, peer, prefix)| {
            let peer: &mut interop::peer::Peer = peer;
            move || {
                peer.offer_many("q", live, Duration::from_secs(2), prefix, seed);
                peer.drain("q", IDLE)
            }
        };
        let in_java = scope.spawn(work((1, &mut java, "java")));
        let in_rust = scope.spawn(work((2, &mut rust, "rust")));
        let began = Instant::now();
        let done = rdq(&queue, &["migrate", "orders", "--yes"]);
        println!(
            "{count} elements, migrated in {:.1?}: {:?}",
            began.elapsed(),
            done.rows
        );
        assert_eq!(done.code, 0, "{done:?}");
        assert_eq!(done.rows[0]["migrated"], old);
        let mut taken = in_java.join().expect("the peer works");
        taken.extend(in_rust.join().expect("the peer works"));
        taken
    });
    let lives = ["java", "rust"].map(|prefix| names(prefix, live));
    each_once(taken, lives.concat());

    assert_eq!(queue.layouts(), (0, 2 * half));
    let payload = |member: &bytes::Bytes| {
        let packed = redisson_delayed_queue::packed::Packed::parse(member.clone());
        packed.expect("members can be read").payload
    };
    let order = |entries: Vec<bytes::Bytes>| entries.iter().map(payload).collect::<Vec<_>>();
    assert_eq!(order(queue.entries()), order(places), "each in its place");
    let due = |scores: std::collections::BTreeMap<bytes::Bytes, u64>| {
        let mut due: Vec<_> = scores.iter().map(|(it, due)| (payload(it), *due)).collect();
        due.sort();
        due
    };
    assert_eq!(due(queue.scores()), due(scores), "each with its due time");
    // Java finds, by value, what was an old member.
    assert!(java.contains("q", "old-7"));

    queue.make_due();
    let taken = thread::scope(|scope| {
        let in_java = scope.spawn(|| java.drain("q", IDLE));
        let mut taken = rust.drain("q", IDLE);
        let in_java = in_java.join().expect("the peer works");
        println!("Rust took {}, Java {}", taken.len(), in_java.len());
        taken.extend(in_java);
        taken
    });
    each_once(taken, [names("old", half), names("new", half)].concat());
    assert_eq!(queue.layouts(), (0, 0));
    assert!(queue.entries().is_empty());
}

fn offer_far(peer: &mut interop::peer::Peer, count: usize, prefix: &str) {
    let delay = Duration::from_secs(10 * 365 * 86_400).as_millis();
    let lines: Vec<_> = (0..count)
        .map(|i| format!("offer q {delay} ={prefix}-{i}"))
        .collect();
    for reply in peer.send_all(&lines) {
        assert_eq!(reply, interop::peer::Reply::Ok(String::new()));
    }
}

fn names(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|i| format!("{prefix}-{i}")).collect()
}

/// Longer than elements stay away, also on a busy machine.
const IDLE: Duration = Duration::from_secs(5);
