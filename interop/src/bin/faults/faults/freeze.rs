//! The server stops, and goes on after 8 s.

use rand::rngs::StdRng;

use super::{Fault, Rhythm, Stage};
use crate::Result;

pub(super) struct Freeze;

impl Fault for Freeze {
    fn name(&self) -> &'static str {
        "freeze"
    }

    fn rhythm(&self) -> Rhythm {
        Rhythm {
            rounds: 3,
            pause_ms: (2_000, 4_000),
            hold_ms: (8_000, 8_000),
        }
    }

    fn begin(&self, stage: &Stage, _: &mut StdRng) -> Result<()> {
        stage.bed.master().pause();
        Ok(())
    }

    fn heal(&self, stage: &Stage) -> Result<()> {
        stage.bed.master().resume();
        Ok(())
    }
}
