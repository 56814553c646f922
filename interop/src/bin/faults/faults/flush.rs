//! Scripts are flushed all the time.

use rand::rngs::StdRng;

use super::{Fault, Rhythm, Stage};
use crate::Result;

pub(super) struct Flush;

impl Fault for Flush {
    fn name(&self) -> &'static str {
        "flush"
    }

    fn rhythm(&self) -> Rhythm {
        Rhythm {
            rounds: 1_000,
            pause_ms: (5, 20),
            hold_ms: (0, 0),
        }
    }

    fn spares_java(&self) -> bool {
        true
    }

    fn lasts(&self) -> bool {
        false
    }

    fn begin(&self, stage: &Stage, _: &mut StdRng) -> Result<()> {
        stage.bed.master().run::<()>(&["SCRIPT", "FLUSH"]);
        Ok(())
    }
}
