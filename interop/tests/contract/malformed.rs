//! Malformed members in the timeout set.

use std::{collections::BTreeMap, thread, time::Duration};

use interop::{keyspace::keys, peer::Taken, tally::assert_each_once};
use testbed::eventually;

use crate::{
    raw::Raw,
    stage::{Language, Stage},
};

/// One due malformed member stops every Redisson for good, and makes it deliver the good members of
/// its batch again and again. With a Rust process on the queue, Java never meets the malformed
/// member, and each good one arrives once.
pub(crate) fn quarantined_ahead_of_java(version: &'static str) {
    let mut stage = Stage::new(version);
    stage.rust.open(NAME, NAME, "string");
    stage.java.open(NAME, NAME, "string");
    stage.raw.await_movers(NAME, 2);

    let offered = offer_good_ones(&mut stage);
    let due_ms = now_ms(&mut stage.raw) + 4_000;
    put_malformed_ones(&mut stage.raw, due_ms);
    let expected: BTreeMap<Vec<u8>, u64> = MALFORMED
        .iter()
        .map(|member| (member.to_vec(), due_ms))
        .collect();
    eventually(
        &format!("{version}: the malformed are in quarantine"),
        || quarantined(&mut stage.raw) == expected,
    );
    let ahead_ms = due_ms.saturating_sub(now_ms(&mut stage.raw));
    assert!(ahead_ms > 0, "{version}: quarantined only when due");
    let listed = stage.raw.ordering(NAME);
    assert!(
        !listed.iter().any(|it| expected.contains_key(it)),
        "{version}: the ordering list still has {listed:x?}"
    );

    assert_each_once(version, take_all(&mut stage), offered);
    let left = stage.raw.all_keys();
    assert_eq!(left, [keys(NAME).quarantine()], "{version}: left in Redis");
}

/// From both languages, due before, with and after the malformed ones.
fn offer_good_ones(stage: &mut Stage) -> Vec<String> {
    let mut offered = Vec::new();
    for seconds in 1..=5 {
        for language in [Language::Rust, Language::Java] {
            let value = format!("{language:?}-{seconds}");
            let delay = Duration::from_secs(seconds);
            stage.peer(language).offer(NAME, delay, &value);
            offered.push(value);
        }
    }
    offered
}

fn put_malformed_ones(raw: &mut Raw, due_ms: u64) {
    let keys = keys(NAME);
    for member in MALFORMED {
        let (schedule, list) = (&mut redis::cmd("ZADD"), &mut redis::cmd("RPUSH"));
        let added: u64 = raw.query(schedule.arg(keys.timeouts()).arg(due_ms).arg(member));
        assert_eq!(added, 1, "{member:x?}");
        let _length: u64 = raw.query(list.arg(keys.ordering()).arg(member));
    }
}

fn quarantined(raw: &mut Raw) -> BTreeMap<Vec<u8>, u64> {
    let mut command = redis::cmd("ZRANGE");
    command.arg(keys(NAME).quarantine()).arg(&["0", "-1"]);
    raw.query(command.arg("WITHSCORES"))
}

/// Both languages take at the same time until nothing comes any more.
fn take_all(stage: &mut Stage) -> Vec<String> {
    let (rust, java) = (&mut stage.rust, &mut stage.java);
    let taken = thread::scope(|scope| {
        let by_java = scope.spawn(|| java.drain(NAME, IDLE));
        let mut taken = rust.drain(NAME, IDLE);
        taken.extend(by_java.join().expect("java drains"));
        taken
    });
    taken.into_iter().map(Taken::text).collect()
}

/// Unix milliseconds by Redis's clock.
fn now_ms(raw: &mut Raw) -> u64 {
    let (seconds, micros): (u64, u64) = raw.query(&redis::cmd("TIME"));
    seconds * 1_000 + micros / 1_000
}

const NAME: &str = "malformed";

/// Cut short in the length of the id, the id, the length of the payload and the payload.
const MALFORMED: [&[u8]; 4] = [
    b"",
    b"\x08short",
    b"\x08randomId\x05\0\0",
    b"\x08randomId\x05\0\0\0\0\0\0\0hell",
];

/// Longer than the time between two elements, also on a busy machine.
const IDLE: Duration = Duration::from_secs(4);
