//! Elements pass from each language through each language to each language.

use std::time::Duration;

use crate::stage::{Queue, Roles, Stage};

/// Two elements in each queue, of which the one offered last is due a minute earlier: it makes a new
/// head, so the mover must be told. The other leaves with its keys, and comes when it is offered
/// again. Afterwards Redis is empty: neither a key of Redisson nor one of this crate is left.
pub(crate) fn pass(version: &'static str, roles: &[Roles]) {
    let mut stage = Stage::new(version);
    let mut queues = Vec::new();
    for &roles in roles {
        for (codec, late, early) in VALUES {
            for (before, after) in NAMES {
                let name = format!("{before}-{}-{codec}{after}", roles.initials());
                let queue = stage.open(roles, &name, codec);
                queues.push((queue, late, early));
            }
        }
    }
    for (queue, late, _) in &queues {
        stage.offer(queue, MINUTE, late);
    }
    take_each(
        &mut stage,
        queues.iter().map(|(queue, _, early)| (queue, *early)),
    );
    for (queue, _, _) in &queues {
        stage.raw.forget_pending(&queue.name);
    }
    take_each(
        &mut stage,
        queues.iter().map(|(queue, late, _)| (queue, *late)),
    );
    stage.raw.await_empty(version);
}

/// Offers to all queues, then takes from each.
fn take_each<'a>(stage: &mut Stage, queues: impl Iterator<Item = (&'a Queue, &'a [u8])> + Clone) {
    let mut dues = Vec::new();
    for (queue, value) in queues.clone() {
        stage.offer(queue, DELAY, value);
        dues.push(stage.raw.due_ms(&queue.name, value));
    }
    for ((queue, value), due_ms) in queues.zip(dues) {
        stage.take_on_time(queue, value, due_ms);
    }
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
const MINUTE: Duration = Duration::from_secs(60);
