//! Clocks are a minute off.

use std::time::Instant;

use rand::rngs::StdRng;
use testbed::ClockOffset;

use super::{Fault, Rhythm, Stage, Twice};
use crate::{Result, bed::Kind, load::Load};

/// Of client processes.
pub(super) struct Skew {
    name: &'static str,
    producer: i64,
    consumer: i64,
}

pub(super) const PRODUCER: Skew = Skew {
    name: "clock-producer",
    producer: -MINUTE,
    consumer: 0,
};
pub(super) const MOVER: Skew = Skew {
    name: "clock-mover",
    producer: 0,
    consumer: MINUTE,
};

impl Fault for Skew {
    fn name(&self) -> &'static str {
        self.name
    }

    fn load(&self) -> Load {
        Load {
            producer_clock: self.producer,
            consumer_clock: self.consumer,
            ..Load::default()
        }
    }

    fn rhythm(&self) -> Rhythm {
        Rhythm {
            rounds: 10,
            pause_ms: (1_000, 1_000),
            hold_ms: (0, 0),
        }
    }

    fn spares_java(&self) -> bool {
        true
    }

    fn lasts(&self) -> bool {
        false
    }

    fn begin(&self, _: &Stage, _: &mut StdRng) -> Result<()> {
        Ok(())
    }
}

/// Of the replica that takes over.
pub(super) struct NewMaster;

impl Fault for NewMaster {
    fn name(&self) -> &'static str {
        "clock-master"
    }

    fn kind(&self) -> Kind {
        Kind::Sentinels
    }

    /// Long enough that elements are due soon by the new clock, and not yet.
    fn load(&self) -> Load {
        Load {
            long_delay_ms: (60_000, 66_000),
            ..Load::default()
        }
    }

    fn rhythm(&self) -> Rhythm {
        Rhythm {
            rounds: 1,
            pause_ms: (2_000, 3_000),
            hold_ms: (0, 0),
        }
    }

    fn twice(&self) -> Twice {
        Twice::Unheard
    }

    /// After it, the clocks of all masters to come are ahead.
    fn is_singular(&self) -> bool {
        true
    }

    fn fails_over(&self) -> bool {
        true
    }

    fn prepare(&self, stage: &Stage) -> Result<()> {
        for replica in stage.bed.sentinels()?.replicas() {
            replica.set_clock(ClockOffset::ahead(MINUTE));
            replica.restart();
        }
        stage.bed.await_whole();
        Ok(())
    }

    fn begin(&self, stage: &Stage, _: &mut StdRng) -> Result<()> {
        stage.bed.sentinels()?.kill_master();
        let mut notes = stage.ledger.notes();
        notes.clocks.push((Instant::now(), MINUTE));
        Ok(())
    }

    fn heal(&self, stage: &Stage) -> Result<()> {
        stage.bed.await_master_after(&stage.group[0], &stage.group)
    }

    fn settle(&self, stage: &Stage) -> Result<()> {
        stage.bed.await_whole();
        Ok(())
    }
}

const MINUTE: i64 = 60;
