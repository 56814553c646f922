//! Replies are late and overtake each other between connections; messages are on time.

use std::time::Duration;

use rand::rngs::StdRng;

use super::{Fault, Rhythm, Stage};
use crate::{Result, load::Load};

pub(super) struct LateReplies;

impl Fault for LateReplies {
    fn name(&self) -> &'static str {
        "late-replies"
    }

    /// Many callers, because a call takes as long as the replies that it waits for.
    fn load(&self) -> Load {
        Load {
            producers: 1,
            callers: 8,
            pause: Duration::from_secs(1),
            is_proxied: true,
            ..Load::default()
        }
    }

    fn rhythm(&self) -> Rhythm {
        Rhythm {
            rounds: 20,
            pause_ms: (1_000, 1_000),
            hold_ms: (0, 0),
        }
    }

    fn spares_java(&self) -> bool {
        true
    }

    fn prepare(&self, stage: &Stage) -> Result<()> {
        stage.bed.proxy()?.delay_replies(LATEST);
        Ok(())
    }

    fn lasts(&self) -> bool {
        false
    }

    fn begin(&self, _: &Stage, _: &mut StdRng) -> Result<()> {
        Ok(())
    }
}

/// Less than the response timeout, so that no connection is given up.
const LATEST: Duration = Duration::from_millis(400);
