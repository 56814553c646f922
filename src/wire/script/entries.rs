//! Reading elements with their due times.

use std::time::SystemTime;

use bytes::Bytes;
use redis::RedisResult;

use crate::entry::{ScoreRange, due_of};
use crate::link::connection::Connection;
use crate::ticket::Ticket;
use crate::wire::chunk::MOST_BYTES;
use crate::wire::keys::QueueKeys;

/// An entry of a sorted set of members: a member and its score. A later call can read on behind it.
#[derive(Clone, Debug)]
pub(crate) struct Scored {
    pub(crate) member: Vec<u8>,
    /// As Redis spells it.
    pub(crate) score: String,
}

/// A pending element as it was read.
#[derive(Debug)]
pub(crate) struct RawEntry {
    pub(crate) ticket: Ticket,
    pub(crate) payload: Bytes,
    /// As Redis spells it; empty if the element is not in the timeout set.
    pub(crate) score: String,
}

impl RawEntry {
    /// `None` for a malformed member, which the transfer quarantines.
    pub(crate) fn of(entry: Scored) -> Option<Self> {
        let (ticket, payload) = Ticket::unpack(entry.member.into()).ok()?;
        Some(Self {
            ticket,
            payload,
            score: entry.score,
        })
    }

    pub(crate) fn due(&self) -> SystemTime {
        // Rust parses every score Redis prints.
        due_of(self.score.parse().unwrap_or_default())
    }
}

/// Returns up to `count` entries in `range` of the sorted set `members`: those behind `after`, or the
/// first ones. Says behind which entry the next page begins, unless this one is the last.
pub(crate) async fn page(
    connection: Connection,
    members: &str,
    range: &ScoreRange,
    after: Option<&Scored>,
    count: usize,
) -> RedisResult<(Vec<Scored>, Option<Scored>)> {
    let (score, member) = after.map_or((&[][..], &[][..]), |it| (it.score.as_bytes(), &it.member));
    let (has_more, entries): (bool, Vec<(Vec<u8>, String)>) = script!("page")
        .with(|_| Some(members))
        .arg("lowest", &range.lowest)
        .arg("highest", &range.highest)
        .arg("score", score)
        .arg("member", member)
        .arg("most", count)
        .arg("most_bytes", MOST_BYTES)
        .invoke(connection)
        .await?;
    let entries: Vec<Scored> = scored(entries).collect();
    let next = entries.last().filter(|_| has_more).cloned();
    Ok((entries, next))
}

/// Returns up to `count` members with their scores, in offer order; the score is empty for a member
/// that is in the ordering list only. Passes over `passed` entries. If it found none among many, it
/// says first how many to pass over the next time, else 0.
pub(crate) async fn oldest(
    connection: Connection,
    keys: &QueueKeys,
    count: usize,
    passed: usize,
) -> RedisResult<(usize, Vec<RawEntry>)> {
    let (passed, entries) = script!("oldest")
        .of(keys)
        .arg("most", count)
        .arg("most_bytes", MOST_BYTES)
        .arg("passed", passed)
        .invoke(connection)
        .await?;
    Ok((passed, scored(entries).filter_map(RawEntry::of).collect()))
}

fn scored(entries: Vec<(Vec<u8>, String)>) -> impl Iterator<Item = Scored> {
    let scored = |(member, score)| Scored { member, score };
    entries.into_iter().map(scored)
}
