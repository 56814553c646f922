//! The network swallows everything, and says nothing.

use rand::rngs::StdRng;

use super::{Fault, Rhythm, Stage};
use crate::{Result, load::Load};

pub(super) struct BlackHole;

impl Fault for BlackHole {
    fn name(&self) -> &'static str {
        "black-hole"
    }

    fn load(&self) -> Load {
        Load {
            is_proxied: true,
            ..Load::default()
        }
    }

    fn rhythm(&self) -> Rhythm {
        Rhythm {
            rounds: 5,
            pause_ms: (2_000, 3_000),
            hold_ms: (500, 6_000),
        }
    }

    fn spares_java(&self) -> bool {
        true
    }

    fn begin(&self, stage: &Stage, _: &mut StdRng) -> Result<()> {
        stage.bed.proxy()?.swallow();
        Ok(())
    }

    fn heal(&self, stage: &Stage) -> Result<()> {
        stage.bed.proxy()?.stop_swallowing();
        Ok(())
    }
}
