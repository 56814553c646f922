//! A replica becomes the master.

use std::{cell::RefCell, thread};

use rand::rngs::StdRng;
use redis::RedisResult;
use testbed::{Sentinels, Server};

use super::{Fault, Rhythm, Stage, Twice};
use crate::{Result, bed::Kind};

pub(super) struct Takeover {
    name: &'static str,
    kind: Kind,
    is_planned: bool,
    /// The master at the beginning of the round.
    former: RefCell<Option<Server>>,
}

impl Takeover {
    pub(super) fn planned_by_sentinels() -> Self {
        Self::new("sentinel-planned", Kind::Sentinels, true)
    }

    pub(super) fn killed_under_sentinels() -> Self {
        Self::new("sentinel-kill", Kind::Sentinels, false)
    }

    pub(super) fn planned_in_cluster() -> Self {
        Self::new("cluster-planned", Kind::Cluster, true)
    }

    pub(super) fn killed_in_cluster() -> Self {
        Self::new("cluster-kill", Kind::Cluster, false)
    }

    fn new(name: &'static str, kind: Kind, is_planned: bool) -> Self {
        Self {
            name,
            kind,
            is_planned,
            former: RefCell::default(),
        }
    }
}

impl Fault for Takeover {
    fn name(&self) -> &'static str {
        self.name
    }

    fn kind(&self) -> Kind {
        self.kind
    }

    fn rhythm(&self) -> Rhythm {
        Rhythm {
            rounds: 5,
            pause_ms: (1_500, 3_000),
            hold_ms: (0, 0),
        }
    }

    fn twice(&self) -> Twice {
        match (self.kind, self.is_planned) {
            (Kind::Cluster, true) => Twice::Nothing,
            _ => Twice::Unheard,
        }
    }

    fn fails_over(&self) -> bool {
        true
    }

    fn begin(&self, stage: &Stage, _: &mut StdRng) -> Result<()> {
        let former = stage.bed.master();
        self.former.replace(Some(former.clone()));
        match (self.kind, self.is_planned) {
            (_, false) => {
                former.kill();
                Ok(())
            }
            (Kind::Cluster, true) => {
                let replica = stage.bed.cluster()?.replica_of(crate::QUEUE);
                let begun: RedisResult<()> = replica.try_run(&["CLUSTER", "FAILOVER"]);
                begun.map_err(|error| error.to_string())
            }
            _ => begin_planned(stage.bed.sentinels()?),
        }
    }

    fn heal(&self, stage: &Stage) -> Result<()> {
        let former = self.former.borrow().clone();
        let former = former.ok_or("the round has begun")?;
        stage.bed.await_master_after(&former, &stage.group)
    }

    /// The former master comes back.
    fn settle(&self, stage: &Stage) -> Result<()> {
        let former = self.former.take().ok_or("the round has begun")?;
        if !self.is_planned {
            former.restart();
        }
        stage.bed.await_whole();
        Ok(())
    }
}

fn begin_planned(sentinels: &Sentinels) -> Result<()> {
    let command = ["SENTINEL", "FAILOVER", Sentinels::MASTER];
    for _ in 0..ATTEMPTS {
        let begun: RedisResult<()> = sentinels.sentinels()[0].try_run(&command);
        match begun {
            Ok(()) => return Ok(()),
            Err(_) => thread::sleep(std::time::Duration::from_millis(100)),
        }
    }
    Err("no sentinel begins a failover".into())
}

const ATTEMPTS: usize = 50;
