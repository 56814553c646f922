//! Which part of a worker's work fails.

use std::time::Duration;

use crate::link::pauses::Pauses;

/// The parts of a worker's work, each of which may fail by itself.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Part {
    #[default]
    Claim,
    GiveBack,
    Recover,
    /// Asking Redis to report changes, and telling the other clients.
    Watch,
}

/// What a worker does now, and what has failed.
#[derive(Debug)]
pub(super) struct Trouble {
    part: Part,
    /// The part that failed and has not worked since.
    failed: Option<Part>,
    /// The server refused that part, and this was reported.
    is_reported: bool,
    /// How long to wait after rounds that failed.
    pauses: Pauses,
}

impl Trouble {
    pub(super) fn new(longest_pause: Duration) -> Self {
        Self {
            part: Part::default(),
            failed: None,
            is_reported: false,
            pauses: Pauses::new(longest_pause),
        }
    }

    pub(super) fn begin(&mut self, part: Part) {
        self.part = part;
    }

    /// Notes that the present part failed. If another one has not worked since it failed, that one counts.
    pub(super) fn fail(&mut self) {
        self.failed.get_or_insert(self.part);
    }

    /// Notes that the present part failed, and that this one counts.
    pub(super) fn fail_instead(&mut self) {
        self.failed = Some(self.part);
    }

    /// Notes that a refusal is reported. Returns false if one was reported before.
    pub(super) fn report(&mut self) -> bool {
        !std::mem::replace(&mut self.is_reported, true)
    }

    /// Notes that a part succeeded. Returns true if that ends trouble that was reported.
    pub(super) fn succeed(&mut self, part: Part) -> bool {
        self.failed.take_if(|it| *it == part).is_some() && std::mem::take(&mut self.is_reported)
    }

    /// How long to wait before the next attempt.
    pub(super) fn pause(&mut self) -> Duration {
        self.pauses.next()
    }

    /// Notes that a round met no trouble.
    pub(super) fn went_well(&mut self) {
        if self.failed.is_none() {
            self.pauses.reset();
        }
    }
}
