//! A member that nobody could read, and that was set aside.

use redisson_delayed_queue::QuarantinedMember;
use serde::Serialize;

use crate::payload::digest::short;
use crate::screen::number;

/// All about a member but its bytes.
#[derive(Debug, Serialize)]
pub(crate) struct Quarantined {
    pub(crate) member: String,
    #[serde(serialize_with = "number::ms")]
    pub(crate) due_ms: f64,
    pub(crate) size: usize,
    /// Why it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fault: Option<String>,
}

impl Quarantined {
    pub(crate) fn of(member: &QuarantinedMember) -> Self {
        let fault = member.fault();
        Self {
            member: name_of(member),
            due_ms: member.score(),
            size: member.bytes().len(),
            fault: fault.map(|it| format!("{} at byte {}", it.reason, it.offset)),
        }
    }
}

pub(crate) fn name_of(member: &QuarantinedMember) -> String {
    short([&member.bytes()[..]])
}

/// The first bytes, as far as they are ASCII, and the others as `\x` and two digits.
pub(crate) fn beginning(bytes: &[u8], most: usize) -> String {
    let first = bytes.iter().take(most);
    first.map(|it| it.escape_ascii().to_string()).collect()
}
