//! Which element an offer made.

use std::fmt;

use bytes::Bytes;

use crate::packed::{Malformed, MemberId, Packed};

/// Names one element of a delayed queue, from its offer on.
///
/// It holds the whole packed member as it stands in Redis, so that
/// [`cancel`](crate::DelayedQueue::cancel) finds the element in the timeout set without a search.
/// That makes it as large as the payload and some 25 bytes.
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
        let member = member.into();
        let packed = Packed::parse(member.clone())?;
        Ok(Self::new(packed.id, member))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::pack;

    #[test]
    fn debug_output_holds_no_payload() {
        let id = MemberId::from(*b"\x01\xff");
        let member = pack(&id, b"secret");
        let ticket = Ticket::new(id, member);
        assert_eq!(format!("{ticket:?}"), r#"Ticket { id: "01ff", bytes: 17 }"#);
    }
}
