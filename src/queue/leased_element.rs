//! An element that a process holds.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;

use crate::codec::Codec;
use crate::delivery_id::DeliveryId;
use crate::error::Result;
use crate::link::clock::time_of;
use crate::payload::decode;
use crate::queue::raw::RawLeased;
use crate::wire::script::LeaseSet;

/// How an element that left the target queue is held.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum LeaseKind {
    /// A `take()` of this crate has claimed it, and not handed it over yet.
    Claimed,
    /// A [`Consumer`](crate::Consumer) has it.
    InFlight,
    /// It waits for another attempt by a [`Consumer`](crate::Consumer). Nobody holds it.
    Retrying,
}

/// An element that a process holds, or that waits for another attempt.
pub struct LeasedElement<T> {
    raw: RawLeased,
    codec: Arc<dyn Codec<T>>,
}

impl<T: 'static> LeasedElement<T> {
    pub(super) fn new(raw: RawLeased, codec: Arc<dyn Codec<T>>) -> Self {
        Self { raw, codec }
    }

    /// The value. None if the payload was not read.
    ///
    /// [`Error::Decode`](crate::Error::Decode) if the codec does not understand the payload.
    pub fn value(&self) -> Result<Option<T>> {
        let payload = self.raw.payload.clone();
        payload.map(|it| decode(&*self.codec, it)).transpose()
    }
}

impl<T> LeasedElement<T> {
    pub(super) fn raw(&self) -> &RawLeased {
        &self.raw
    }

    /// Who holds it, and how.
    #[must_use]
    pub fn kind(&self) -> LeaseKind {
        match self.raw.set {
            LeaseSet::Claims => LeaseKind::Claimed,
            LeaseSet::Deliveries => LeaseKind::InFlight,
            LeaseSet::Retries => LeaseKind::Retrying,
        }
    }

    /// A text that names the lease: its holder, the number of the claim, and the place in it. The
    /// next claim of the element makes another one.
    #[must_use]
    pub fn lease(&self) -> String {
        let (claim, place) = self.raw.lease.claim();
        format!("{}-{claim}-{place}", self.holder())
    }

    /// The worker that has it, or had it last, as 16 hex digits. Each `take()` side and each consumer
    /// of a process has a worker of its own.
    #[must_use]
    pub fn holder(&self) -> String {
        format!("{:016x}", self.raw.lease.holder())
    }

    /// When the lease runs out, or the next attempt is due, by Redis's clock.
    #[must_use]
    pub fn until(&self) -> SystemTime {
        time_of(self.raw.until_ms)
    }

    /// Redis's clock when this was read.
    #[must_use]
    pub fn read_at(&self) -> SystemTime {
        time_of(self.raw.now_ms)
    }

    /// True if [`until`](Self::until) had passed when this was read: the lease has run out, or the
    /// next attempt is due.
    #[must_use]
    pub fn has_expired(&self) -> bool {
        self.raw.until_ms < self.raw.now_ms
    }

    /// How many times it has been claimed.
    #[must_use]
    pub fn attempt(&self) -> u16 {
        self.raw.lease.attempt()
    }

    /// The id of the delivery in all of its attempts, as [`Receipt::id`](crate::Receipt::id).
    /// None if no consumer has it.
    #[must_use]
    pub fn id(&self) -> Option<DeliveryId> {
        let is_claimed = self.raw.set == LeaseSet::Claims;
        (!is_claimed).then(|| DeliveryId::new(self.raw.lease.origin()))
    }

    /// When it was claimed first since it left the target queue, by Redis's clock.
    #[must_use]
    pub fn first_claimed(&self) -> SystemTime {
        time_of(self.raw.lease.origin().first_claimed_ms() as i64)
    }

    /// The bytes as they stand in Redis. None if they were not read.
    #[must_use]
    pub fn payload(&self) -> Option<&Bytes> {
        self.raw.payload.as_ref()
    }

    /// How many bytes the payload has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.raw.bytes
    }

    /// True if the payload has no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.raw.bytes == 0
    }
}

impl<T> fmt::Debug for LeasedElement<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The payload may be private.
        f.debug_struct("LeasedElement")
            .field("kind", &self.kind())
            .field("lease", &self.lease())
            .field("until", &self.until())
            .field("bytes", &self.len())
            .finish_non_exhaustive()
    }
}
