//! An element that a Rust process holds, or that waits for another attempt.

use bytes::Bytes;
use redisson_delayed_queue::{LeaseKind, LeasedElement};
use serde::Serialize;

use super::unix_ms;

/// All about a lease but the value.
#[derive(Debug, Serialize)]
pub(crate) struct Lease {
    pub(crate) lease: String,
    pub(crate) kind: &'static str,
    holder: String,
    pub(crate) until_ms: u64,
    expired: bool,
    pub(crate) attempt: u16,
    /// What names the delivery in all of its attempts.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    first_claimed_ms: u64,
}

impl Lease {
    pub(crate) fn of(element: &LeasedElement<Bytes>) -> Self {
        Self {
            lease: element.lease(),
            kind: match element.kind() {
                LeaseKind::Claimed => "claimed",
                LeaseKind::InFlight => "in flight",
                LeaseKind::Retrying => "retrying",
                _ => "other",
            },
            holder: element.holder(),
            until_ms: unix_ms(element.until()),
            expired: element.has_expired(),
            attempt: element.attempt(),
            id: element.id().map(|it| it.to_string()),
            first_claimed_ms: unix_ms(element.first_claimed()),
        }
    }
}
