//! The server refuses writes for lack of memory.

use rand::rngs::StdRng;

use super::{Fault, Rhythm, Stage};
use crate::Result;

pub(super) struct Memory;

impl Fault for Memory {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn rhythm(&self) -> Rhythm {
        Rhythm {
            rounds: 8,
            pause_ms: (500, 1_500),
            hold_ms: (500, 3_000),
        }
    }

    fn begin(&self, stage: &Stage, _: &mut StdRng) -> Result<()> {
        limit(stage, "1");
        Ok(())
    }

    fn heal(&self, stage: &Stage) -> Result<()> {
        limit(stage, "0");
        Ok(())
    }
}

fn limit(stage: &Stage, bytes: &str) {
    let server = stage.bed.master();
    server.run::<()>(&["CONFIG", "SET", "maxmemory", bytes]);
}
