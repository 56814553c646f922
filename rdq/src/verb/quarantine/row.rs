//! A member as it is shown.

use std::time::{Duration, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use redisson_delayed_queue::QuarantinedMember;
use serde::Serialize;

use crate::element::quarantined::{Quarantined, beginning};
use crate::screen::absolute;

/// A member as it is shown.
#[derive(Serialize)]
pub(super) struct Row {
    #[serde(flatten)]
    pub(super) member: Quarantined,
    /// In Base64.
    bytes: String,
}

impl Row {
    pub(super) fn of(member: &QuarantinedMember) -> Self {
        Self {
            member: Quarantined::of(member),
            bytes: STANDARD.encode(member.bytes()),
        }
    }

    pub(super) fn cells(&self, bytes: &[u8]) -> [String; 5] {
        let Quarantined {
            member,
            due_ms,
            size,
            fault,
        } = &self.member;
        [
            member.clone(),
            due(*due_ms),
            size.to_string(),
            fault.clone().unwrap_or_else(|| "none".to_owned()),
            beginning(bytes, 40),
        ]
    }
}

/// When it was due, if its score is a moment.
pub(super) fn due(score: f64) -> String {
    match Duration::try_from_secs_f64(score / 1_000.0) {
        Ok(since) if score < 1e15 => absolute(UNIX_EPOCH + since),
        _ => score.to_string(),
    }
}
