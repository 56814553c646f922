//! Which element an offer made.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::display::Base64Display;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::wire::packed::{Malformed, MemberId, Packed};

/// Names one element of a delayed queue, from its offer on.
///
/// It holds the whole packed member as it stands in Redis, so that
/// [`cancel`](crate::DelayedQueue::cancel) finds the element in the timeout set without a search.
/// That makes it as large as the payload and some 25 bytes.
///
/// A ticket outlives the process that offered: it can be kept as [bytes](Self::as_bytes), as text,
/// or through serde, and used by another process, with whatever codec. As text it is the bytes in
/// base64url without padding (RFC 4648, section 5), which goes into a URL or a file name as it is.
/// Serde sees that text in formats for people, such as JSON, and the bytes in others. All three
/// hold the payload, so who may not read the one may not see the other.
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
    /// Names the element that was packed as `member` behind `id`.
    pub(crate) fn new(id: MemberId, member: Bytes) -> Self {
        Self { id, member }
    }

    /// Reads the bytes that [`as_bytes`](Self::as_bytes) gave out, in this process or another.
    ///
    /// # Errors
    ///
    /// - [`Malformed`] if the bytes are no packed member.
    pub fn from_bytes(member: impl Into<Bytes>) -> Result<Self, Malformed> {
        Self::unpack(member.into()).map(|(ticket, _)| ticket)
    }

    /// As [`from_bytes`](Self::from_bytes), with the payload.
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
}

/// Leaves out the payload, which may be anything, and anybody's.
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

/// As text in formats for people, as bytes in others.
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
            deserializer.deserialize_str(TextVisitor)
        } else {
            deserializer.deserialize_byte_buf(BytesVisitor)
        }
    }
}

struct TextVisitor;

impl Visitor<'_> for TextVisitor {
    type Value = Ticket;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a ticket as text")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Ticket, E> {
        text.parse().map_err(E::custom)
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

/// A text is no ticket.
///
/// The fault of whoever wrote or kept the text. Redis was not asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseTicketError {
    /// What the text spells is no packed member.
    #[error("text spells no ticket")]
    Malformed {
        /// What is wrong with the bytes.
        #[source]
        source: Malformed,
    },

    /// The text is not base64url without padding: another alphabet, padding, white space, or cut.
    #[error("text is no base64url without padding")]
    NotBase64,
}

#[cfg(test)]
mod tests;
