//! The handles that users call, and below them one queue as bytes.

pub(crate) mod blocking_queue;
pub(crate) mod consumer;
pub(crate) mod delayed_queue;
pub(crate) mod leased_element;
pub(crate) mod leases;
pub(crate) mod names;
pub(crate) mod object;
pub(crate) mod offer;
pub(crate) mod pending;
pub(crate) mod quarantine;
pub(crate) mod raw;
pub(crate) mod selector;
pub(crate) mod sharded;
pub(crate) mod stream;
pub(crate) mod typed;
