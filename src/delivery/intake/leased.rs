//! A claimed element in this process.

use bytes::Bytes;
use tokio::time::Instant;

use crate::link::connection::LARGE;
use crate::wire::script::Lease;

/// A claimed element. Its payload is here.
#[derive(Debug)]
pub(super) struct Leased {
    pub(super) lease: Lease,
    pub(super) payload: Bytes,
    /// The element is not handed over after this moment: too little is left of its lease. None if
    /// Redis has no such lease: the element was popped, and exists nowhere but here.
    pub(super) usable_until: Option<Instant>,
}

/// A claimed element whose payload is still to be fetched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Large {
    pub(super) lease: Lease,
    pub(super) bytes: usize,
    /// As for a [`Leased`].
    pub(super) usable_until: Instant,
}

/// An element to give back.
#[derive(Debug)]
pub(super) struct Returned {
    pub(super) lease: Lease,
    /// The payload of an element that was popped.
    pub(super) popped: Option<Bytes>,
}

impl From<Lease> for Returned {
    fn from(lease: Lease) -> Self {
        let popped = None;
        Self { lease, popped }
    }
}

impl Returned {
    /// The element itself, if it was popped.
    pub(super) fn into_popped(self) -> Option<Leased> {
        Some(Leased {
            lease: self.lease,
            payload: self.popped?,
            usable_until: None,
        })
    }
}

impl Leased {
    pub(super) fn is_usable(&self, now: Instant) -> bool {
        self.usable_until.is_none_or(|until| until > now)
    }

    /// The payload if the element was popped.
    pub(super) fn popped(&self) -> Option<Bytes> {
        self.usable_until.is_none().then(|| self.payload.clone())
    }

    /// True if the payload was fetched by itself.
    pub(super) fn is_large(&self) -> bool {
        self.payload.len() > LARGE
    }
}
