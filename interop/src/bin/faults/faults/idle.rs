//! The server closes sockets that are idle for a second.

use std::time::Duration;

use rand::rngs::StdRng;

use super::{Fault, Rhythm, Stage};
use crate::{Result, load::Load};

pub(super) struct Idle;

impl Fault for Idle {
    fn name(&self) -> &'static str {
        "idle"
    }

    /// So few offers that sockets are idle for seconds.
    fn load(&self) -> Load {
        Load {
            producers: 1,
            callers: 1,
            pause: Duration::from_millis(1_700),
            ..Load::default()
        }
    }

    fn rhythm(&self) -> Rhythm {
        Rhythm {
            rounds: 30,
            pause_ms: (1_000, 1_000),
            hold_ms: (0, 0),
        }
    }

    fn prepare(&self, stage: &Stage) -> Result<()> {
        let server = stage.bed.master();
        server.run::<()>(&["CONFIG", "SET", "timeout", "1"]);
        Ok(())
    }

    fn lasts(&self) -> bool {
        false
    }

    fn begin(&self, _: &Stage, _: &mut StdRng) -> Result<()> {
        Ok(())
    }
}
