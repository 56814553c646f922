//! Twenty processes on one queue, of which one after the other is killed.

use std::time::{Duration, Instant};

use rand::{RngExt, rngs::StdRng};

use super::{Fault, Rhythm, Stage, Twice};
use crate::{Result, load::Load};

pub(super) struct Crowd;

impl Fault for Crowd {
    fn name(&self) -> &'static str {
        "crowd"
    }

    fn load(&self) -> Load {
        Load {
            producers: 10,
            consumers: 10,
            callers: CALLERS,
            pause: Duration::from_millis(80),
            ..Load::default()
        }
    }

    fn rhythm(&self) -> Rhythm {
        Rhythm {
            rounds: 60,
            pause_ms: (200, 500),
            hold_ms: (0, 0),
        }
    }

    fn twice(&self) -> Twice {
        Twice::PerKill(CALLERS)
    }

    fn spares_java(&self) -> bool {
        true
    }

    fn lasts(&self) -> bool {
        false
    }

    fn begin(&self, stage: &Stage, random: &mut StdRng) -> Result<()> {
        let fleet = &stage.fleet;
        let is_consumer = random.random_bool(0.7);
        let places = match is_consumer {
            true => &fleet.consumers,
            false => &fleet.producers,
        };
        if is_consumer {
            stage.ledger.notes().kills.push(Instant::now());
        }
        places[random.random_range(0..places.len())].replace()
    }
}

const CALLERS: usize = 2;
