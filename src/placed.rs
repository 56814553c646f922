//! Offers that look at what is pending: what they are to do with it, and what they did.

use crate::ticket::Ticket;

/// What an offer does when an element is pending under its key.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum IfPending {
    /// Leaves the pending element as it is, and offers nothing.
    Keep,
    /// Puts the offer in its place. If the payloads are the same, the pending element stays and is
    /// due when the offer says; otherwise it is removed.
    Replace,
}

/// What an offer did that looks at what is pending.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Placed {
    /// Another element is pending, and was left as it is.
    Kept(Ticket),
    /// Another element with the same payload is pending, and is now due when the offer says.
    Moved(Ticket),
    /// Nothing was pending; the value was offered.
    Offered(Ticket),
    /// The value was offered, and another element is removed for it.
    Replaced(Ticket),
}

impl Placed {
    /// The element that is pending now.
    #[must_use]
    pub fn ticket(&self) -> &Ticket {
        match self {
            Self::Kept(ticket)
            | Self::Moved(ticket)
            | Self::Offered(ticket)
            | Self::Replaced(ticket) => ticket,
        }
    }

    /// The element that is pending now.
    #[must_use]
    pub fn into_ticket(self) -> Ticket {
        match self {
            Self::Kept(ticket)
            | Self::Moved(ticket)
            | Self::Offered(ticket)
            | Self::Replaced(ticket) => ticket,
        }
    }
}
