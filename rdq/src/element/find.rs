//! Finds elements by what users call them: a ticket, or the beginning of an id.

use std::collections::BTreeSet;
use std::str::FromStr;

use bytes::Bytes;
use futures::stream::{self, StreamExt, TryStreamExt};
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::packed::{Format, Packed};
use redisson_delayed_queue::redis::cmd;
use redisson_delayed_queue::{Master, Ticket};

use crate::element::{SHORT_ID, hex, short};
use crate::failure::{Failure, Result};
use crate::queue::types;
use crate::session::Session;

/// What a user calls an element: its ticket, or its id or the beginning of it, in hex.
#[derive(Clone, Debug)]
pub(crate) enum Name {
    Ticket(Ticket),
    Id(String),
}

impl FromStr for Name {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // No text of hex digits is a ticket: the member in it would be longer than it is.
        if let Ok(ticket) = text.parse() {
            return Ok(Self::Ticket(ticket));
        }
        let digits = text.bytes().all(|digit| digit.is_ascii_hexdigit());
        if digits && (MIN_ID..=MAX_ID).contains(&text.len()) {
            return Ok(Self::Id(text.to_ascii_lowercase()));
        }
        Err(format!(
            "neither a ticket nor {MIN_ID} or more hex digits of an id"
        ))
    }
}

/// Fewer digits would name too many elements.
const MIN_ID: usize = 4;
/// The longest id has 255 bytes.
const MAX_ID: usize = 510;

/// How many elements a message names.
const CANDIDATES: usize = 10;

/// How many names to look for at the same time.
const AT_ONCE: usize = 8;

/// The tickets of the elements with these names; `None` for an id that no pending element has.
///
/// A ticket may be that of an element that is no longer pending: nobody looks.
///
/// # Redis
///
/// For each id one `ZSCAN` of the whole timeout set, 1,000 elements a call, and another if that finds
/// nothing. Nothing for tickets.
pub(crate) async fn find_all(
    session: &Session,
    queue: &str,
    names: &[Name],
) -> Result<Vec<Option<Ticket>>> {
    let keys = &QueueKeys::new(queue)?;
    let master = &session.client.master_of(queue)?;
    let found = stream::iter(names).map(|name| async move {
        match name {
            Name::Ticket(ticket) => Ok(Some(ticket.clone())),
            Name::Id(id) => find_id(master, keys, id).await,
        }
    });
    found.buffered(AT_ONCE).try_collect().await
}

/// The ticket of the element with this name.
pub(crate) async fn find(session: &Session, queue: &str, name: &Name) -> Result<Ticket> {
    let found = find_all(session, queue, std::slice::from_ref(name)).await?;
    let missing = || Failure::Nothing(format!("no pending element has the id {name}"));
    found.into_iter().flatten().next().ok_or_else(missing)
}

/// The only element whose id begins so.
async fn find_id(master: &Master, keys: &QueueKeys, id: &str) -> Result<Option<Ticket>> {
    // Redis looks for whole bytes. A last odd digit is looked at below.
    let prefix = bytes_of(&id[..id.len() / 2 * 2]);
    // The present layout has the length of the id first, the old one has nothing in front.
    let patterns = [
        ([b"?", &*escaped(&prefix), b"*"].concat(), Format::Bc0Lc0),
        ([&*escaped(&prefix), b"*"].concat(), Format::DLc0),
    ];
    let mut found = BTreeSet::new();
    for (pattern, format) in patterns {
        let mut cursor = 0_u64;
        loop {
            let mut scan = cmd("ZSCAN");
            scan.arg(keys.timeouts()).arg(cursor);
            scan.arg("MATCH").arg(&pattern).arg("COUNT").arg(1_000);
            let scanned = master.query(&scan).await;
            let (next, entries): (u64, Vec<(Vec<u8>, String)>) = match scanned {
                Err(error) => return Err(types::named(error, master, keys).await.into()),
                scanned => scanned?,
            };
            let members = entries.into_iter().map(|(member, _)| Bytes::from(member));
            let matches = |member: &Bytes| {
                let packed = Packed::parse(member.clone());
                packed.is_ok_and(|it| it.format == format && hex(it.id.as_bytes()).starts_with(id))
            };
            found.extend(members.filter(matches));
            cursor = next;
            if cursor == 0 || found.len() > CANDIDATES {
                break;
            }
        }
        // Random ids do not meet in 8 bytes.
        if id.len() >= SHORT_ID && !found.is_empty() {
            break;
        }
    }
    let mut tickets = found
        .into_iter()
        .filter_map(|it| Ticket::from_bytes(it).ok());
    let first = tickets.next();
    let others: Vec<_> = tickets.collect();
    match (&first, &*others) {
        (Some(first), [_, ..]) => Err(ambiguous(id, first, &others)),
        _ => Ok(first),
    }
}

fn ambiguous(id: &str, first: &Ticket, others: &[Ticket]) -> Failure {
    let all = [first].into_iter().chain(others);
    let ids: Vec<_> = all.take(CANDIDATES).map(|it| hex(it.id())).collect();
    let more = if others.len() < CANDIDATES {
        ""
    } else {
        ", …"
    };
    let ids = ids.join(", ");
    Failure::usage(format!(
        "several pending elements have an id that begins with {id}: {ids}{more}"
    ))
}

/// The bytes of an even number of hex digits.
fn bytes_of(digits: &str) -> Vec<u8> {
    let value = |digit: u8| char::from(digit).to_digit(16).unwrap_or_default() as u8;
    let pairs = digits.as_bytes().chunks_exact(2);
    pairs
        .map(|pair| value(pair[0]) << 4 | value(pair[1]))
        .collect()
}

/// A pattern that matches these bytes.
fn escaped(bytes: &[u8]) -> Vec<u8> {
    let special = |byte: &u8| matches!(byte, b'*' | b'?' | b'[' | b']' | b'\\');
    let escape = |byte: &u8| special(byte).then_some(b'\\').into_iter().chain([*byte]);
    bytes.iter().flat_map(escape).collect()
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ticket(ticket) => f.write_str(short(&hex(ticket.id()))),
            Self::Id(id) => f.write_str(id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_ticket_or_hex() {
        let ticket = Ticket::from_bytes(&b"\x08randomId\x05\0\0\0\0\0\0\0hello"[..]).unwrap();
        assert!(matches!(ticket.to_string().parse(), Ok(Name::Ticket(it)) if it == ticket));
        assert!(matches!("72616E".parse(), Ok(Name::Id(id)) if id == "72616e"));
        for wrong in ["", "726", "order", "72616g"] {
            assert!(wrong.parse::<Name>().is_err(), "{wrong}");
        }
        // Ids of all lengths are ids, whatever their bytes.
        for digit in ["0", "7", "9", "a", "f"] {
            for len in MIN_ID..=MAX_ID {
                assert!(
                    matches!(digit.repeat(len).parse(), Ok(Name::Id(_))),
                    "{digit} {len}"
                );
            }
        }
    }

    #[test]
    fn a_pattern_takes_each_byte_literally() {
        assert_eq!(escaped(b"a*b?[c]\\\0\xff"), b"a\\*b\\?\\[c\\]\\\\\0\xff");
        assert_eq!(bytes_of("00ff2a"), [0x00, 0xff, 0x2a]);
    }
}
