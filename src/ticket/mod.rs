//! Tickets, which identify elements.

use std::fmt;
use std::str::FromStr;
use std::time::SystemTime;

use base64::Engine;
use base64::display::Base64Display;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::listing::Listing;
use crate::wire::ids;
use crate::wire::packed::{Malformed, MemberId, Packed};

mod shard;

pub use shard::ShardTicket;

/// Identifies one element of a delayed queue.
///
/// It holds the whole packed member as it stands in Redis, so
/// [`cancel`](crate::DelayedQueue::cancel) finds the element in the timeout set without a search. A
/// ticket is therefore some 25 bytes larger than the payload.
///
/// A ticket outlives the process that offered the element. Keep it as [bytes](Self::as_bytes), as
/// text or through serde, and use it in any process, with any codec. The text is the bytes in
/// base64url without padding (RFC 4648, section 5); it goes into a URL or a file name as it is.
/// Serde writes the text in human-readable formats such as JSON, and the bytes in others. All three
/// forms hold the payload: show a ticket only to those who may see the payload.
///
/// # Examples
///
/// ```
/// use redisson_delayed_queue::Ticket;
///
/// // As `queue.offer(…).await?` returns it.
/// let ticket = Ticket::from_bytes(&b"\x08randomId\x05\0\0\0\0\0\0\0hello"[..])?;
/// let text = ticket.to_string();
/// assert_eq!(text, "CHJhbmRvbUlkBQAAAAAAAABoZWxsbw");
/// assert_eq!(text.parse::<Ticket>()?, ticket);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Eq, Hash, PartialEq)]
pub struct Ticket {
    id: MemberId,
    member: Bytes,
}

impl Ticket {
    /// The ticket of the element whose packed form is `member`, with its id.
    pub(crate) fn new(id: MemberId, member: Bytes) -> Self {
        Self { id, member }
    }

    /// Makes a ticket from the bytes that [`as_bytes`](Self::as_bytes) returned, in this process or
    /// another.
    ///
    /// # Errors
    ///
    /// - [`Malformed`] if the bytes are not a packed member.
    pub fn from_bytes(member: impl Into<Bytes>) -> Result<Self, Malformed> {
        Self::unpack(member.into()).map(|(ticket, _)| ticket)
    }

    /// Like [`from_bytes`](Self::from_bytes), and returns the payload, too.
    pub(crate) fn unpack(member: Bytes) -> Result<(Self, Bytes), Malformed> {
        let packed = Packed::parse(member.clone())?;
        Ok((Self::new(packed.id, member), packed.payload))
    }

    /// The packed member, as it stands in the timeout set and the ordering list.
    #[must_use]
    pub fn as_bytes(&self) -> &Bytes {
        &self.member
    }

    /// The element's id, unique in its queue.
    #[must_use]
    pub fn id(&self) -> &[u8] {
        self.id.as_bytes()
    }

    /// Says whether the element was offered as a [listed](Listing::Listed) or an
    /// [unlisted](Listing::Unlisted) one.
    #[must_use]
    pub fn listing(&self) -> Listing {
        self.id.listing()
    }

    /// When the element [expires](crate::Offer::expires_at); `None` if it does not.
    #[must_use]
    pub fn expires_at(&self) -> Option<SystemTime> {
        ids::expiry_of(self.id())
    }
}

/// Leaves out the payload, which may be private.
impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id: String = self.id().iter().map(|byte| format!("{byte:02x}")).collect();
        f.debug_struct("Ticket")
            .field("id", &id)
            .field("bytes", &self.member.len())
            .finish()
    }
}

/// The packed member in base64url without padding, payload included.
impl fmt::Display for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Base64Display::new(&self.member, &URL_SAFE_NO_PAD).fmt(f)
    }
}

/// Reads what [`Display`](fmt::Display) wrote, and nothing else.
impl FromStr for Ticket {
    type Err = ParseTicketError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let member = URL_SAFE_NO_PAD
            .decode(text)
            .map_err(|_| ParseTicketError::NotBase64)?;
        Self::from_bytes(member).map_err(|source| ParseTicketError::Malformed { source })
    }
}

/// As text in human-readable formats, as bytes in others.
impl Serialize for Ticket {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            serializer.serialize_bytes(&self.member)
        }
    }
}

impl<'de> Deserialize<'de> for Ticket {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let text = String::deserialize(deserializer)?;
            text.parse().map_err(de::Error::custom)
        } else {
            deserializer.deserialize_byte_buf(BytesVisitor)
        }
    }
}

struct BytesVisitor;

impl<'de> Visitor<'de> for BytesVisitor {
    type Value = Ticket;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a ticket as bytes")
    }

    fn visit_bytes<E: de::Error>(self, member: &[u8]) -> Result<Ticket, E> {
        self.visit_byte_buf(member.to_vec())
    }

    fn visit_byte_buf<E: de::Error>(self, member: Vec<u8>) -> Result<Ticket, E> {
        Ticket::from_bytes(member).map_err(E::custom)
    }

    /// Some formats know bytes only as a sequence of numbers.
    fn visit_seq<A: de::SeqAccess<'de>>(self, mut numbers: A) -> Result<Ticket, A::Error> {
        let mut member = Vec::new();
        while let Some(byte) = numbers.next_element()? {
            member.push(byte);
        }
        self.visit_byte_buf(member)
    }
}

/// A text is not a ticket.
///
/// Whoever wrote or kept the text is at fault. Redis was not asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseTicketError {
    /// The text is base64url, but its bytes are not a packed member.
    #[error("text holds no ticket")]
    Malformed {
        /// What is wrong with the bytes.
        #[source]
        source: Malformed,
    },

    /// The text should be a [`ShardTicket`](crate::ShardTicket), and does not name a queue.
    #[error("text names no queue")]
    NoQueue,

    /// The text is not base64url without padding: it has other characters, padding or white space,
    /// or it was cut.
    #[error("text is not base64url without padding")]
    NotBase64,
}

#[cfg(test)]
mod tests;
