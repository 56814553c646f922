//! What a call answered and left in Redis, in one form for both languages.

use std::{
    collections::BTreeMap,
    time::{SystemTime, UNIX_EPOCH},
};

use bytes::Bytes;
use interop::messages::Message;
use redis::Connection;
use redisson_delayed_queue::{keys::QueueKeys, packed::Packed};

use crate::answer::shown;

/// What is to be compared, part by part; a part that is empty is left out.
///
/// The parts of the queue are those of [`parts_of`], and `answer`. Those of the other queue have an
/// `other` in front.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome(BTreeMap<String, String>);

/// When the rows of a table began, and what was heard since.
pub(crate) struct Seen<'a> {
    pub(crate) start: SystemTime,
    pub(crate) messages: &'a [Message],
}

impl Outcome {
    /// Reads what stands under the keys of the queue `name` and of its other one.
    pub(crate) fn read(redis: &mut Connection, name: &str, answer: String, seen: &Seen) -> Self {
        let mut parts = BTreeMap::from([("answer".to_owned(), answer)]);
        for (name, before) in [(name, ""), (&other(name), "other ")] {
            for (part, content) in parts_of(redis, &keys(name), seen) {
                if !content.is_empty() {
                    parts.insert(format!("{before}{part}"), content);
                }
            }
        }
        Self(parts)
    }

    /// What this one has and `other` has not, nor another way.
    pub(crate) fn without(&self, other: &Self) -> String {
        let own = self.0.iter();
        let own = own.filter(|(part, content)| other.0.get(*part) != Some(content));
        let own: Vec<String> = own.map(|(part, it)| format!("{part}: {it}")).collect();
        own.join("; ")
    }
}

/// The name of the queue that calls of two queues use beside the queue `name`.
pub(crate) fn other(name: &str) -> String {
    format!("{name}-other")
}

/// The keys of a queue of this name.
pub(crate) fn keys(name: &str) -> QueueKeys {
    QueueKeys::new(name).expect("the name is not empty")
}

/// Asks Redis; a test cannot go on without the answer.
#[track_caller]
pub(crate) fn query<T: redis::FromRedisValue>(redis: &mut Connection, command: &redis::Cmd) -> T {
    let answer = command.query(redis);
    answer.unwrap_or_else(|error| panic!("{:?}: {error}", command.get_packed_command()))
}

fn parts_of(redis: &mut Connection, keys: &QueueKeys, seen: &Seen) -> [(&'static str, String); 8] {
    let ordering = list(redis, keys.ordering());
    let timeouts = scores(redis, keys.timeouts());
    let messages = seen.messages.iter();
    let messages = messages.filter(|message| message.channel == keys.channel());
    let messages = messages.map(|message| match timeouts.first() {
        Some((_, score)) if score.to_string() == message.text => "head".to_owned(),
        _ => message.text.clone(),
    });
    let scheduled = timeouts.iter().map(|(member, score)| {
        let hours = hours(*score, seen.start);
        format!("{}@{hours}h", of_member(member))
    });
    let target = list(redis, keys.target());
    [
        ("members", unmatched(&ordering, &timeouts).to_owned()),
        ("messages", joined(messages)),
        ("ordering", joined(ordering.iter().map(|it| of_member(it)))),
        ("ordering expiry", expiry(redis, keys.ordering())),
        ("target", joined(target.iter().map(|it| of_target(it)))),
        ("target expiry", expiry(redis, keys.target())),
        ("timeouts", joined(scheduled)),
        ("timeouts expiry", expiry(redis, keys.timeouts())),
    ]
}

fn list(redis: &mut Connection, key: &str) -> Vec<Vec<u8>> {
    query(redis, redis::cmd("LRANGE").arg(key).arg(&["0", "-1"]))
}

fn scores(redis: &mut Connection, key: &str) -> Vec<(Vec<u8>, u64)> {
    let mut command = redis::cmd("ZRANGE");
    query(redis, command.arg(key).arg(&["0", "-1"]).arg("WITHSCORES"))
}

/// Nothing if the list and the set have the same members.
fn unmatched(ordering: &[Vec<u8>], timeouts: &[(Vec<u8>, u64)]) -> &'static str {
    let mut listed: Vec<&Vec<u8>> = ordering.iter().collect();
    let mut scheduled: Vec<&Vec<u8>> = timeouts.iter().map(|(member, _)| member).collect();
    listed.sort();
    scheduled.sort();
    if listed == scheduled { "" } else { "differ" }
}

/// The payload of what should be a member.
fn of_member(item: &[u8]) -> String {
    let packed = Packed::parse(Bytes::copy_from_slice(item));
    packed.map_or_else(
        |_| format!("bare({})", shown(item)),
        |it| shown(&it.payload),
    )
}

/// What should be a payload.
fn of_target(item: &[u8]) -> String {
    let packed = Packed::parse(Bytes::copy_from_slice(item));
    packed.map_or_else(
        |_| shown(item),
        |it| format!("packed({})", shown(&it.payload)),
    )
}

/// How long a key lives.
fn expiry(redis: &mut Connection, key: &str) -> String {
    let ttl: i64 = query(redis, redis::cmd("PTTL").arg(key));
    match ttl {
        0.. => format!("{} min", (ttl + 30_000) / 60_000),
        _ => String::new(),
    }
}

/// The nearest whole number of hours from the start.
fn hours(score: u64, start: SystemTime) -> u64 {
    let start = start.duration_since(UNIX_EPOCH).expect("it is after 1970");
    (score + HOUR_MS / 2).saturating_sub(start.as_millis() as u64) / HOUR_MS
}

fn joined(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(" ")
}

const HOUR_MS: u64 = 3_600_000;
