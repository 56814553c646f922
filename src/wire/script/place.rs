//! Scheduling elements in the place of others.

use std::sync::LazyLock;

use redis::{RedisError, RedisResult, Script, ScriptInvocation};

use super::{Attempt, Attempted, When, load_before, millis};
use crate::link::connection::Connection;
use crate::ticket::Ticket;
use crate::wire::keys::QueueKeys;

static OFFER_KEYED: LazyLock<Script> = script!("offer_keyed", "keyed");

/// What an offer has done.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Done {
    Kept,
    Moved,
    Offered,
    Replaced,
}

/// Under what a value is offered that is to be pending once.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Key<'a> {
    /// What the caller chose.
    Chosen(&'a [u8]),
    /// The payload itself.
    Payload,
}

/// Offers a member of which one at most is to be pending under `key`. Returns what was done, and
/// the member that is pending then if it is another.
pub(crate) async fn offer_keyed(
    mut connection: Connection,
    keys: &QueueKeys,
    element: (&[u8], When),
    key: Key<'_>,
    replace: bool,
    attempt: &Attempt,
) -> RedisResult<Attempted<(Done, Vec<u8>)>> {
    let field = match key {
        Key::Chosen(key) => [b"k", key].concat(),
        Key::Payload => b"u".to_vec(),
    };
    load_before(&OFFER_KEYED, &mut connection, element.0.len()).await?;
    let (done, head_us, server_us, pending): (String, i64, i64, Vec<u8>) =
        terms(&OFFER_KEYED, keys, element, attempt)
            .key(keys.keyed())
            .key(keys.keyed_due())
            .arg(u8::from(!attempt.is_first()))
            .arg(field)
            .arg(u8::from(replace))
            .invoke_async(&mut connection)
            .await?;
    let done = match done.as_str() {
        "-" => None,
        letter => Some((done_of(letter)?, pending)),
    };
    Ok(Attempted::new(done, head_us, server_us))
}

static REPLACE: LazyLock<Script> = script!("replace", "keyed");

/// How far a search for the oldest member with a payload has come.
#[derive(Debug, Default)]
pub(crate) struct Searched {
    /// That member.
    pub(crate) found: Option<Vec<u8>>,
    /// Up to this entry of the ordering list there is none but that.
    pub(crate) newest: Option<Vec<u8>>,
}

/// Offers a member in the place of the oldest with the same payload. Returns nothing if that needs
/// another search.
pub(crate) async fn replace(
    mut connection: Connection,
    keys: &QueueKeys,
    element: (&[u8], When),
    searched: &Searched,
    attempt: &Attempt,
) -> RedisResult<Attempted<Option<Done>>> {
    load_before(&REPLACE, &mut connection, element.0.len()).await?;
    let newest = searched.newest.as_deref();
    // No two members begin alike, for their ids stand in front, and those have 255 bytes at the most.
    let start = newest.map(|newest| [b"=", &newest[..newest.len().min(264)]].concat());
    let reply: (String, i64, i64) = terms(&REPLACE, keys, element, attempt)
        .arg(searched.found.as_deref().unwrap_or_default())
        .arg(start.unwrap_or_default())
        .arg(newest.map_or(0, <[u8]>::len))
        .invoke_async(&mut connection)
        .await?;
    replaced(reply)
}

static REPLACE_DUE: LazyLock<Script> = script!("replace_due", "keyed");

/// Offers a member in the place of one with the same payload, listed or not. `found` is what a
/// search found, if there was one. Returns nothing if that needs a search.
pub(crate) async fn replace_due(
    mut connection: Connection,
    keys: &QueueKeys,
    element: (&[u8], When),
    found: Option<Option<&Ticket>>,
    attempt: &Attempt,
) -> RedisResult<Attempted<Option<Done>>> {
    load_before(&REPLACE_DUE, &mut connection, element.0.len()).await?;
    let member = found.flatten().map(|it| it.as_bytes().as_ref());
    let reply: (String, i64, i64) = terms(&REPLACE_DUE, keys, element, attempt)
        .key(keys.keyed())
        .key(keys.keyed_due())
        .arg(member.unwrap_or_default())
        .arg(u8::from(found.is_some()))
        .invoke_async(&mut connection)
        .await?;
    replaced(reply)
}

/// As the scripts answer that replace an element with the same payload.
fn replaced(
    (done, head_us, server_us): (String, i64, i64),
) -> RedisResult<Attempted<Option<Done>>> {
    let done = match done.as_str() {
        "-" => None,
        "?" => Some(None),
        letter => Some(Some(done_of(letter)?)),
    };
    Ok(Attempted::new(done, head_us, server_us))
}

/// What all these scripts are told first: where and what to write, by which clock and until when.
fn terms<'a>(
    script: &'a Script,
    keys: &QueueKeys,
    (member, when): (&[u8], When),
    attempt: &Attempt,
) -> ScriptInvocation<'a> {
    let mut invocation = script.key(keys.timeouts());
    invocation
        .key(keys.ordering())
        .key(keys.settled())
        .arg(member)
        .arg(when)
        .arg(&attempt.clock)
        .arg(keys.channel())
        .arg(attempt.expires_us)
        .arg(millis(attempt.remember));
    invocation
}

fn done_of(letter: &str) -> RedisResult<Done> {
    Ok(match letter {
        "k" => Done::Kept,
        "m" => Done::Moved,
        "o" => Done::Offered,
        "r" => Done::Replaced,
        _ => {
            let kind = redis::ErrorKind::UnexpectedReturnType;
            return Err(RedisError::from((kind, "unknown answer of a script")));
        }
    })
}
