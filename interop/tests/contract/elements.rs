//! Elements pass from each language through each language to each language.

use std::time::Duration;

use crate::stage::{Roles, Stage};

/// Two elements in each queue, of which the one offered last is due first: it makes a new head, so
/// the mover must be told. Afterwards Redis is empty: neither a key of Redisson nor one of this
/// crate is left.
pub(crate) fn pass(version: &'static str, roles: &[Roles]) {
    let mut stage = Stage::new(version);
    let mut offered = Vec::new();
    for &roles in roles {
        for (codec, late, early) in VALUES {
            for (before, after) in NAMES {
                let name = format!("{before}-{}-{codec}{after}", roles.initials());
                let queue = stage.open(roles, &name, codec);
                offered.push((queue, late, early));
            }
        }
    }
    let mut dues = Vec::new();
    for (queue, late, early) in &offered {
        stage.offer(queue, DELAY + Duration::from_secs(1), late);
        stage.offer(queue, DELAY, early);
        let mut due = |value| stage.raw.due_ms(&queue.name, value);
        let mut both: [(u64, &[u8]); 2] = [early, late].map(|value| (due(value), *value));
        // On a machine that stood still between the two offers the first may be due first.
        both.sort_unstable();
        dues.push(both);
    }
    for ((queue, _, _), both) in offered.iter().zip(dues) {
        for (due_ms, value) in both {
            stage.take_on_time(queue, value, due_ms);
        }
    }
    stage.raw.await_empty(version);
}

/// Codec, and the payloads of two values, in the form in which both languages store them.
const VALUES: [(&str, &[u8], &[u8]); 4] = [
    ("string", "zwölf 12 \u{1f980}".as_bytes(), b"b"),
    ("bytes", b"\x00\xff\r\n", b""),
    ("long", b"-9223372036854775808", b"7"),
    (
        "json",
        r#"{"amountCents":1999,"customer":"J\"örg","id":"A-1","quantity":2,"tags":["x","y z"]}"#
            .as_bytes(),
        br#"{"amountCents":0,"quantity":0}"#,
    ),
];

/// Beginnings and ends of names: without braces, and with them before and in the middle.
const NAMES: [(&str, &str); 3] = [("orders", ""), ("{t}orders", ""), ("a{b", "}c")];

/// Long enough to offer to a queue and look at it before anything moves.
const DELAY: Duration = Duration::from_secs(3);
