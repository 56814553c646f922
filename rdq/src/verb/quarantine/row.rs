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
    match score {
        // A fraction is due in the next whole millisecond.
        0.0..1e15 => absolute(UNIX_EPOCH + Duration::from_millis(score.ceil() as u64)),
        _ => score.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::due;

    #[test]
    fn due_times_are_right_to_the_millisecond() {
        assert_eq!(due(1_795_907_256_129.0), "2026-11-28T23:07:36.129Z");
        assert_eq!(due(2_000.5), "1970-01-01T00:00:02.001Z");
        assert_eq!([due(-1.0), due(4e15)], ["-1", "4000000000000000"]);
    }
}
