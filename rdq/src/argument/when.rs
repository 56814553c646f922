//! When an element shall become due.

use std::time::Duration;

use clap::Args;
use redisson_delayed_queue::Offer;

use crate::argument::moment::{self, Moment};

/// When an element shall become due.
#[derive(Args, Clone, Copy, Debug)]
#[group(multiple = false)]
pub(crate) struct When {
    /// How long from now, such as 90s or 1h 30m.
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    delay: Option<Duration>,
    /// At what time: 2026-11-24T12:00:00Z, 2026-11-24T13:00:00+01:00, '2026-11-24 12:00', 2026-11-24 or 12:00 (all
    /// in UTC without an offset), +10m, now, or Unix ms.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = moment::ahead)]
    at: Option<Moment>,
}

impl When {
    /// The time that the user gave.
    pub(crate) fn said(self) -> Option<Moment> {
        self.delay.map(Moment::FromNow).or(self.at)
    }
}

/// An offer that is due at this moment, by Redis's clock.
impl From<Moment> for Offer {
    fn from(moment: Moment) -> Self {
        match moment {
            Moment::At(time) => Self::at(time),
            Moment::FromNow(delay) => Self::after(delay),
            Moment::Ago(_) => Self::after(Duration::ZERO),
        }
    }
}
