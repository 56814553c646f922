//! The tokens of calls and replies.

use std::{
    ops::Range,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use redisson_delayed_queue::{IfPending, Offered, Outcome, Side, Ticket};

use crate::Result;

pub(crate) fn millis(token: &str) -> Result<Duration> {
    Ok(Duration::from_millis(token.parse()?))
}

/// The moment so many milliseconds from now.
pub(crate) fn moment(token: &str) -> Result<SystemTime> {
    Ok(SystemTime::now() + millis(token)?)
}

pub(crate) fn if_pending(token: &str) -> Result<IfPending> {
    match token {
        "keep" => Ok(IfPending::Keep),
        "replace" => Ok(IfPending::Replace),
        _ => Err(format!("keep or replace, not {token}").into()),
    }
}

pub(crate) fn side(token: &str) -> Result<Side> {
    match token {
        "first" => Ok(Side::First),
        "last" => Ok(Side::Last),
        _ => Err(format!("first or last, not {token}").into()),
    }
}

/// Values as calls expect them.
pub(crate) fn texts(tokens: &[&str]) -> Vec<String> {
    tokens.iter().map(|token| (*token).to_owned()).collect()
}

pub(crate) fn tickets(tokens: &[&str]) -> Result<Vec<Ticket>> {
    tokens.iter().map(|token| Ok(token.parse()?)).collect()
}

/// The number of values, then the values.
pub(crate) fn listed<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    let count = items.len().to_string();
    [vec![count], items].concat().join(" ")
}

/// What an offer did, in words that all revisions have in common, and the ticket.
pub(crate) fn placed(placed: &Offered) -> String {
    let what = match placed.outcome {
        Outcome::Added => "offered",
        Outcome::Kept => "kept",
        Outcome::Replaced => "replaced",
        Outcome::Rescheduled => "moved",
        _ => "unknown",
    };
    format!("{what} {}", placed.ticket)
}

pub(crate) fn unix_ms(time: SystemTime) -> Result<String> {
    Ok(time.duration_since(UNIX_EPOCH)?.as_millis().to_string())
}

/// One token, or none for nothing.
pub(crate) fn maybe<T: ToString>(found: Option<T>) -> String {
    found.map_or_else(String::new, |found| found.to_string())
}

/// A queue's name and a value from it.
pub(crate) fn named(found: Option<(String, String)>) -> String {
    maybe(found.map(|(name, value)| format!("{name} {value}")))
}

/// Places in a list, the second excluded.
pub(crate) fn places(from: &str, to: &str) -> Result<Range<usize>> {
    Ok(from.parse()?..to.parse()?)
}
