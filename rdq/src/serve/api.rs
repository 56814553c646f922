//! The JSON that the pages and scripts read and send, a file for each subject.
//!
//! Fields are named as those of `rdq --json`, and times are Unix ms in fields that end in `_ms`. A
//! request that fails is answered with `{"error": "…"}`.

mod brief;
pub(super) mod dead;
pub(super) mod element;
pub(super) mod elements;
pub(super) mod findings;
pub(super) mod leases;
pub(super) mod login;
pub(super) mod pause;
pub(super) mod quarantine;
pub(super) mod queues;
pub(super) mod server;
