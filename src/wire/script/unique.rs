//! Offers that look at pending elements.

use std::sync::LazyLock;

use redis::{FromRedisValue, ParsingError, RedisResult, Value};

use super::call::Call;
use super::lua::Script;
use super::reply::Fields;
use super::{Attempt, Attempted, Effect, When, millis};
use crate::link::connection::Connection;
use crate::ticket::Ticket;
use crate::wire::keys::QueueKeys;

static OFFER_KEYED: LazyLock<Script> = script!("offer_keyed");

/// The result of an offer.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Done {
    /// It left this member pending. The member is empty if it has gone since then.
    Kept(Vec<u8>),
    /// It changed the due time of this pending member. The member is empty as above.
    Moved(Vec<u8>),
    Offered,
    Replaced,
}

/// The answer to an offer that may need a search first.
#[derive(Debug)]
pub(crate) enum Answer {
    Done(Done),
    /// Nothing was offered: the client must search for a member with the payload.
    NeedsSearch,
}

impl Effect for Answer {
    fn wrote(&self) -> Option<bool> {
        match self {
            Self::Done(done) => Some(!matches!(done, Done::Kept(_))),
            Self::NeedsSearch => None,
        }
    }
}

/// The key under which a value is offered.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Key<'a> {
    /// Bytes that the caller chose.
    Chosen(&'a [u8]),
    /// The payload itself.
    Payload,
    /// The payload itself, and every pending member with this payload counts.
    InQueue,
}

impl Key<'_> {
    /// The argument from which a script makes the field of `rdq1_keyed`.
    fn field(self) -> Vec<u8> {
        match self {
            Self::Chosen(key) => [b"k", key].concat(),
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
    (key, searched): (Key<'_>, Option<Option<&Ticket>>),
    attempt: &Attempt,
) -> RedisResult<Attempted<Answer>> {
    let found = searched.flatten().map(|it| it.as_bytes().as_ref());
    terms(&OFFER_KEYED, keys, element, replaces, attempt)
        .arg("field", key.field())
        .arg("found", found.unwrap_or_default())
        .arg("searched", searched.is_some())
        .invoke(connection)
        .await
}

static PENDING_UNDER: LazyLock<Script> = script!("pending_under");

/// Returns the member that is pending under a key of an offer with this payload.
pub(crate) async fn pending_under(
    connection: Connection,
    keys: &QueueKeys,
    key: Key<'_>,
    payload: &[u8],
) -> RedisResult<Option<Vec<u8>>> {
    let payload = match key {
        Key::Chosen(_) => &[],
        Key::Payload | Key::InQueue => payload,
    };
    let member: Vec<u8> = PENDING_UNDER
        .of(keys)
        .arg("field", key.field())
        .arg("payload", payload)
        .invoke(connection)
        .await?;
    Ok((!member.is_empty()).then_some(member))
}

static OFFER_UNIQUE_LISTED: LazyLock<Script> = script!("offer_unique_listed");

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
) -> RedisResult<Attempted<Answer>> {
    let newest = searched.newest.as_deref();
    // The first 264 bytes tell members apart: the id comes first and has at most 255 bytes.
    let start = newest.map(|newest| [b"=", &newest[..newest.len().min(264)]].concat());
    terms(&OFFER_UNIQUE_LISTED, keys, element, replaces, attempt)
        .arg("found", searched.found.as_deref().unwrap_or_default())
        .arg("searched_up_to", start.unwrap_or_default())
        .arg("searched_bytes", newest.map_or(0, <[u8]>::len))
        .invoke(connection)
        .await
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
        .arg("remember_ms", millis(attempt.remember))
        .arg("is_repeated", !attempt.is_first())
        .arg("replaces", replaces);
    call
}

impl FromRedisValue for Attempted<Answer> {
    fn from_redis_value(reply: Value) -> Result<Self, ParsingError> {
        let mut fields = Fields::new(reply)?;
        let letter: String = fields.read()?;
        let attempted = Attempted::read(Some(()), &mut fields)?;
        let pending = fields.read()?;
        let done = match letter.as_str() {
            "-" => None,
            "?" => Some(Answer::NeedsSearch),
            letter => Some(Answer::Done(Done::new(letter, pending)?)),
        };
        Ok(Self {
            done,
            head_due_us: attempted.head_due_us,
            server_us: attempted.server_us,
        })
    }
}

const UNKNOWN: &str = "unknown reply of a script";

impl Done {
    fn new(letter: &str, pending: Vec<u8>) -> Result<Self, ParsingError> {
        match letter {
            "k" => Ok(Self::Kept(pending)),
            "m" => Ok(Self::Moved(pending)),
            "o" => Ok(Self::Offered),
            "r" => Ok(Self::Replaced),
            _ => Err(UNKNOWN.into()),
        }
    }
}
