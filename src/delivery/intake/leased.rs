//! A claimed element in this process.

use std::time::Instant;

use bytes::Bytes;

use crate::link::connection::LARGE;
use crate::wire::script::Lease;

/// A claimed element. Its payload is here.
#[derive(Debug)]
pub(super) struct Leased {
    pub(super) lease: Lease,
    pub(super) payload: Bytes,
    /// The element is not handed over after this moment: too little is left of its lease.
    pub(super) usable_until: Instant,
}

/// A claimed element whose payload is still to be fetched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Large {
    pub(super) lease: Lease,
    /// How many bytes the payload has.
    pub(super) bytes: usize,
    /// As for a [`Leased`].
    pub(super) usable_until: Instant,
}

impl Leased {
    /// True if the payload was fetched by itself.
    pub(super) fn is_large(&self) -> bool {
        self.payload.len() > LARGE
    }
}
