//! Offers that look at pending elements.

use bytes::Bytes;
use redis::{ParsingError, RedisResult};

use super::call::Call;
use super::lua::Script;
use super::reply::at_least_zero;
use super::{Attempt, Attempted, When};
use crate::link::clock::ms_up;
use crate::link::connection::Connection;
use crate::offered::Outcome;
use crate::ticket::Ticket;
use crate::wire::keys::QueueKeys;

/// What an offer did.
#[derive(Debug)]
pub(crate) enum Answer {
    /// What became of the offer, and the member that is pending in place of the offered one. That is
    /// empty if the offered one is pending, or if the other has gone since.
    Done(Outcome, Vec<u8>),
    /// Nothing was offered: the client must search for a member with the payload.
    NeedsSearch,
}

impl Answer {
    /// True if this attempt wrote, false if an earlier one had. `None` if the offer is not over, so
    /// nothing has to be durable yet.
    pub(crate) fn wrote(&self) -> Option<bool> {
        match self {
            Self::Done(outcome, _) => Some(*outcome != Outcome::Kept),
            Self::NeedsSearch => None,
        }
    }
}

/// The key under which a value is offered.
#[derive(Clone, Debug)]
pub(crate) enum Key {
    /// Bytes that the caller chose.
    Chosen(Bytes),
    /// The payload itself.
    Payload,
    /// The payload itself, and every pending member with this payload counts.
    InQueue,
}

impl Key {
    /// The argument from which a script makes the field of `rdq1_keyed`.
    fn field(&self) -> Vec<u8> {
        match self {
            Self::Chosen(key) => [b"k", &key[..]].concat(),
            Self::Payload => b"u".to_vec(),
            Self::InQueue => b"r".to_vec(),
        }
    }
}

/// Offers a member under a key. At most one member of a key is pending. With [`Key::InQueue`],
/// `searched` is what a search found, if there was one.
pub(crate) async fn offer_keyed(
    connection: Connection,
    keys: &QueueKeys,
    element: (&[u8], When),
    replaces: bool,
    (key, searched): (&Key, Option<Option<&Ticket>>),
    attempt: &Attempt,
) -> RedisResult<Attempted> {
    let found = searched.flatten().map(|it| it.as_bytes().as_ref());
    let reply = terms(script!("offer_keyed"), keys, element, replaces, attempt)
        .arg("field", key.field())
        .arg("found", found.unwrap_or_default())
        .arg("searched", searched.is_some())
        .invoke(connection)
        .await?;
    attempted(reply)
}

/// Returns the member that is pending under a key of an offer with this payload.
pub(crate) async fn pending_under(
    connection: Connection,
    keys: &QueueKeys,
    key: &Key,
    payload: &[u8],
) -> RedisResult<Option<Vec<u8>>> {
    let payload = match key {
        Key::Chosen(_) => &[],
        _ => payload,
    };
    let member: Vec<u8> = script!("pending_under")
        .of(keys)
        .arg("field", key.field())
        .arg("payload", payload)
        .invoke(connection)
        .await?;
    Ok((!member.is_empty()).then_some(member))
}

/// What a search of the ordering list found.
#[derive(Debug, Default)]
pub(crate) struct Searched {
    /// The oldest member with the payload.
    pub(crate) found: Option<Vec<u8>>,
    /// The last entry that was searched.
    pub(crate) newest: Option<Vec<u8>>,
}

/// Offers a member so that at most one member with its payload is listed.
pub(crate) async fn offer_unique_listed(
    connection: Connection,
    keys: &QueueKeys,
    element: (&[u8], When),
    replaces: bool,
    searched: &Searched,
    attempt: &Attempt,
) -> RedisResult<Attempted> {
    let newest = searched.newest.as_deref();
    // The first 264 bytes tell members apart: the id comes first and has at most 255 bytes.
    let start = newest.map(|newest| [b"=", &newest[..newest.len().min(264)]].concat());
    let script = script!("offer_unique_listed");
    let reply = terms(script, keys, element, replaces, attempt)
        .arg("found", searched.found.as_deref().unwrap_or_default())
        .arg("searched_up_to", start.unwrap_or_default())
        .arg("searched_bytes", newest.map_or(0, <[u8]>::len))
        .invoke(connection)
        .await?;
    attempted(reply)
}

/// The arguments that both scripts share.
fn terms<'a>(
    script: &'a Script,
    keys: &QueueKeys,
    (member, when): (&[u8], When),
    replaces: bool,
    attempt: &Attempt,
) -> Call<'a> {
    let mut call = script.of(keys);
    call.arg("member", member)
        .arg("when", when)
        .arg("clock_us", &attempt.clock)
        .arg("channel", keys.channel())
        .arg("write_until_us", attempt.write_until_us)
        .arg("remember_ms", ms_up(attempt.remember))
        .arg("is_repeated", !attempt.is_first())
        .arg("replaces", replaces);
    call
}

/// Reads the reply of both scripts: a letter, how long until the head is due, Redis's clock, and the
/// member that is pending.
fn attempted(reply: (String, i64, i64, Vec<u8>)) -> RedisResult<Attempted> {
    let (letter, head_due_us, server_us, pending) = reply;
    let outcome = match letter.as_str() {
        "-" | "?" => None,
        "k" => Some(Outcome::Kept),
        "m" => Some(Outcome::Rescheduled),
        "o" => Some(Outcome::Added),
        "r" => Some(Outcome::Replaced),
        // As a reply of another shape: whether the script wrote is unknown.
        _ => return Err(ParsingError::from("unknown reply of a script").into()),
    };
    let needs_search = (letter == "?").then_some(Answer::NeedsSearch);
    Ok(Attempted {
        done: outcome.map(|it| Answer::Done(it, pending)).or(needs_search),
        head_due_us: at_least_zero(head_due_us),
        server_us,
    })
}
