//! Tickets, which identify elements of a sharded queue.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};

use super::{ParseTicketError, Ticket};

/// Identifies one element of a [`ShardedQueue`](crate::ShardedQueue): the name of the shard, and the
/// element's [`Ticket`] there.
///
/// The text has the name and the ticket, both in base64url without padding, and a dot between them.
/// It goes into a URL or a file name as it is. Serde writes the text in human-readable formats such
/// as JSON, and the pair of name and ticket in others. All forms hold the payload.
///
/// # Examples
///
/// ```
/// use redisson_delayed_queue::{ShardTicket, Ticket};
///
/// // As `queue.offer(…).await?` returns it.
/// let ticket = Ticket::from_bytes(&b"\x08randomId\x05\0\0\0\0\0\0\0hello"[..])?;
/// let ticket = ShardTicket::new("orders:3", ticket);
/// let text = ticket.to_string();
/// assert_eq!(text, "b3JkZXJzOjM.CHJhbmRvbUlkBQAAAAAAAABoZWxsbw");
/// assert_eq!(text.parse::<ShardTicket>()?, ticket);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct ShardTicket {
    queue: String,
    ticket: Ticket,
}

impl ShardTicket {
    /// The element that `ticket` names in the shard called `queue`.
    ///
    /// It also makes the ticket of an offer that failed with
    /// [`Error::OutcomeUnknown`](crate::Error::OutcomeUnknown), from the fields of that error.
    pub fn new(queue: impl Into<String>, ticket: Ticket) -> Self {
        let queue = queue.into();
        Self { queue, ticket }
    }

    /// The name of the shard.
    #[must_use]
    pub fn queue(&self) -> &str {
        &self.queue
    }

    /// The ticket in that shard.
    #[must_use]
    pub fn ticket(&self) -> &Ticket {
        &self.ticket
    }
}

/// The name and the ticket in base64url without padding, with a dot between them.
impl fmt::Display for ShardTicket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = URL_SAFE_NO_PAD.encode(&self.queue);
        write!(f, "{name}.{}", self.ticket)
    }
}

/// Reads what [`Display`](fmt::Display) wrote, and nothing else.
impl FromStr for ShardTicket {
    type Err = ParseTicketError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, ticket) = text.split_once('.').ok_or(ParseTicketError::NoQueue)?;
        let name = URL_SAFE_NO_PAD
            .decode(name)
            .map_err(|_| ParseTicketError::NotBase64)?;
        match String::from_utf8(name) {
            Ok(name) if !name.is_empty() => Ok(Self::new(name, ticket.parse()?)),
            _ => Err(ParseTicketError::NoQueue),
        }
    }
}

/// As text in human-readable formats, as a pair in others.
impl Serialize for ShardTicket {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            (&self.queue, &self.ticket).serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for ShardTicket {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let text = String::deserialize(deserializer)?;
            text.parse().map_err(D::Error::custom)
        } else {
            let (queue, ticket) = <(String, Ticket)>::deserialize(deserializer)?;
            Ok(Self { queue, ticket })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticket() -> ShardTicket {
        let ticket = Ticket::from_bytes(&b"\x08randomId\x05\0\0\0\0\0\0\0hello"[..]);
        ShardTicket::new("заказы.{1}", ticket.unwrap())
    }

    #[test]
    fn a_ticket_is_the_same_after_text_and_json() {
        let text = ticket().to_string();
        let is_safe = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        assert!(text.chars().all(is_safe), "{text}");
        assert_eq!(text.parse(), Ok(ticket()));
        let json = serde_json::to_string(&ticket()).unwrap();
        assert_eq!(json, format!("\"{text}\""));
        assert_eq!(
            serde_json::from_str::<ShardTicket>(&json).unwrap(),
            ticket()
        );
    }

    #[cfg(feature = "smile")]
    #[test]
    fn a_binary_format_carries_a_ticket() {
        let written = serde_smile::to_vec(&ticket()).unwrap();
        let read: ShardTicket = serde_smile::from_slice(&written).unwrap();
        assert_eq!(read, ticket());
    }

    #[test]
    fn a_text_that_is_no_ticket_says_why() {
        let of_queue = ticket().ticket().to_string();
        let no_name = format!(".{of_queue}");
        for text in ["", &of_queue, &no_name] {
            let parsed = text.parse::<ShardTicket>();
            assert_eq!(parsed, Err(ParseTicketError::NoQueue), "{text:?}");
        }
        let spaced = format!("a b.{of_queue}").parse::<ShardTicket>();
        assert_eq!(spaced, Err(ParseTicketError::NotBase64));
        assert!("b3JkZXJz.".parse::<ShardTicket>().is_err());
    }
}
