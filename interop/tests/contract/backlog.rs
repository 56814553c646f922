//! A long backlog that both languages move at the same time.

use std::collections::{BTreeMap, BTreeSet};

use interop::{keyspace::keys, peer::Peer};
use rand::seq::SliceRandom;
use redisson_delayed_queue::packed::{MemberId, pack};
use testbed::eventually;

use crate::stage::{Stage, rust_peer};

/// Two processes of each language move elements that are long due, in random order among others that are
/// not, with ids as either of them writes and payloads of a byte to a megabyte. Each is moved once, and
/// what is not due stays in its place: each of the movers removes entries from under the others, which
/// remember where they stood.
pub(crate) fn moved_by_both_at_once(version: &'static str) {
    let mut stage = Stage::new(version);
    let url = stage.url();
    let mut others = [rust_peer(&url), Peer::java(version, &url)];
    for peer in [&mut stage.rust, &mut stage.java]
        .into_iter()
        .chain(&mut others)
    {
        peer.open(NAME, NAME, "string");
    }
    stage.raw.await_movers(NAME, 4);
    let members = members();
    let keys = keys(NAME);
    for some in members.chunks(500) {
        let (schedule, list) = (&mut redis::cmd("ZADD"), &mut redis::cmd("RPUSH"));
        schedule.arg(keys.timeouts());
        list.arg(keys.ordering());
        for (member, score) in some {
            schedule.arg(score).arg(&member[..]);
            list.arg(&member[..]);
        }
        // The list first: who moves an element in between must find it there.
        let _: u64 = stage.raw.query(list);
        let _: u64 = stage.raw.query(schedule);
    }
    let mut wake = redis::cmd("PUBLISH");
    let _: u64 = stage.raw.query(wake.arg(keys.channel()).arg(1_000_000));

    let due = members.iter().filter(|it| it.1 < FAR).count();
    for part in 1..=4 {
        eventually(&format!("{version}: {part} of 4 parts are moved"), || {
            let left: usize = stage.raw.query(redis::cmd("ZCARD").arg(keys.timeouts()));
            left <= members.len() - due * part / 4
        });
    }

    let payloads: Vec<Vec<u8>> = stage
        .raw
        .query(redis::cmd("LRANGE").arg(keys.target()).arg(&["0", "-1"]));
    let mut count_of = BTreeMap::new();
    for payload in payloads {
        let number = String::from_utf8(payload).expect("payloads are text");
        *count_of
            .entry(number.trim_start_matches('0').to_owned())
            .or_insert(0) += 1;
    }
    for (i, (_, score)) in members.iter().enumerate() {
        let expected = usize::from(*score < FAR);
        let count = count_of.get(&(i + 1).to_string()).copied().unwrap_or(0);
        assert_eq!(count, expected, "{version}: times that {i} was moved");
    }
    let stays: Vec<&Vec<u8>> = members
        .iter()
        .filter(|it| it.1 >= FAR)
        .map(|it| &it.0)
        .collect();
    let ordering = stage.raw.ordering(NAME);
    assert!(
        ordering.iter().eq(stays.iter().copied()),
        "{version}: the order of {}",
        stays.len()
    );
    let timeouts: BTreeSet<Vec<u8>> = stage
        .raw
        .timeouts(NAME)
        .into_iter()
        .map(|it| it.0)
        .collect();
    assert!(
        timeouts
            .iter()
            .eq(stays.into_iter().collect::<BTreeSet<_>>()),
        "{version}: the keys agree"
    );
}

/// The members of the queue in offer order, with their scores; each payload is the number of the element.
fn members() -> Vec<(Vec<u8>, u64)> {
    let mut scores: Vec<u64> = (0..COUNT as u64).map(|i| 1_000_000 + i / 3).collect();
    scores.shuffle(&mut rand::rng());
    let member = |(i, score): (usize, u64)| {
        let id = match i % 3 {
            0 => MemberId::from(rand::random::<[u8; 8]>()),
            1 => MemberId::from(((1_700_000_000_000 + i as u128) << 80 | 7).to_be_bytes()),
            _ => MemberId::from(rand::random::<[u8; 16]>()),
        };
        let size = match i % 1_000 {
            0 => 1_000_000,
            1..20 => 20_000,
            _ => 1,
        };
        let score = if i % 4 == 0 { FAR + score } else { score };
        (
            pack(&id, format!("{}{}", "0".repeat(size), i + 1).as_bytes()).to_vec(),
            score,
        )
    };
    scores.into_iter().enumerate().map(member).collect()
}

const NAME: &str = "backlog";
/// Longer than what can be found without reading the list first.
const COUNT: usize = 24_000;
/// When what is not due is due, unix ms.
const FAR: u64 = 4_000_000_000_000_000;
