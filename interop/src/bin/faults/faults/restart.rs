//! The server is killed, and starts again with what is on its disk.

use rand::rngs::StdRng;

use super::{Fault, Rhythm, Stage};
use crate::{Result, bed::Kind};

pub(super) struct Restart;

impl Fault for Restart {
    fn name(&self) -> &'static str {
        "restart"
    }

    fn kind(&self) -> Kind {
        Kind::Durable
    }

    fn rhythm(&self) -> Rhythm {
        Rhythm {
            rounds: 50,
            pause_ms: (300, 1_500),
            hold_ms: (0, 300),
        }
    }

    fn begin(&self, stage: &Stage, _: &mut StdRng) -> Result<()> {
        stage.bed.master().kill();
        Ok(())
    }

    fn heal(&self, stage: &Stage) -> Result<()> {
        stage.bed.master().restart();
        Ok(())
    }
}
