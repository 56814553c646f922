//! The slot of the queue moves to another master, and back.

use std::{thread, time::Duration};

use rand::{RngExt, rngs::StdRng, seq::IndexedRandom};

use super::{Fault, Rhythm, Stage};
use crate::{QUEUE, Result, bed::Kind};

pub(super) struct Migration;

impl Fault for Migration {
    fn name(&self) -> &'static str {
        "migration"
    }

    fn kind(&self) -> Kind {
        Kind::Cluster
    }

    fn rhythm(&self) -> Rhythm {
        Rhythm {
            rounds: 12,
            pause_ms: (500, 2_000),
            hold_ms: (0, 0),
        }
    }

    /// The cause is there from `SETSLOT MIGRATING` to `SETSLOT NODE`.
    fn begin(&self, stage: &Stage, random: &mut StdRng) -> Result<()> {
        let cluster = stage.bed.cluster()?;
        let master = cluster.master_of(QUEUE);
        let others = cluster.masters();
        let others: Vec<_> = others.into_iter().filter(|it| *it != master).collect();
        let target = others.choose(random).ok_or("there is another master")?;
        let moving = cluster.begin_move(cluster.slot_of(QUEUE), target);
        while moving.move_keys(1) > 0 {
            thread::sleep(Duration::from_millis(random.random_range(0..300)));
        }
        moving.finish();
        Ok(())
    }
}
