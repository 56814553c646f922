//! Where a consumer is killed.

use crate::Result;

/// A step in the life of an element at its consumer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Step {
    BeforeClaim,
    AfterClaim,
    InHandler,
    BeforeAck,
    AfterAckSent,
    DuringNack,
    DuringExtend,
    DuringShutdown,
}

impl Step {
    pub(crate) const ALL: [Self; 8] = [
        Self::BeforeClaim,
        Self::AfterClaim,
        Self::InHandler,
        Self::BeforeAck,
        Self::AfterAckSent,
        Self::DuringNack,
        Self::DuringExtend,
        Self::DuringShutdown,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::BeforeClaim => "before-claim",
            Self::AfterClaim => "after-claim",
            Self::InHandler => "in-handler",
            Self::BeforeAck => "before-ack",
            Self::AfterAckSent => "after-ack-sent",
            Self::DuringNack => "during-nack",
            Self::DuringExtend => "during-extend",
            Self::DuringShutdown => "during-shutdown",
        }
    }

    pub(crate) fn named(name: &str) -> Result<Self> {
        let step = Self::ALL.into_iter().find(|it| it.name() == name);
        step.ok_or_else(|| format!("no such step: {name}"))
    }

    /// How many elements may be handled twice because a process was killed here.
    pub(crate) fn twice_per_kill(self) -> usize {
        match self {
            // The handler has not done its work yet, and the next attempt does it.
            Self::BeforeClaim
            | Self::AfterClaim
            | Self::InHandler
            | Self::DuringNack
            | Self::DuringExtend => 0,
            // The work is done, and Redis may not have heard of it.
            Self::BeforeAck | Self::AfterAckSent | Self::DuringShutdown => 1,
        }
    }
}
