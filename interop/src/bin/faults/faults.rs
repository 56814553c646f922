//! The faults.

use std::sync::Arc;

use rand::rngs::StdRng;
use testbed::Server;

use self::takeover::Takeover;
use crate::{
    Result,
    bed::{Bed, Kind},
    fleet::Fleet,
    ledger::Ledger,
    load::Load,
};

mod any;
mod black_hole;
mod clocks;
mod crowd;
mod cut;
mod flush;
mod freeze;
mod idle;
mod late_replies;
mod memory;
mod migration;
mod nodes;
mod partition;
mod restart;
mod takeover;

/// What a fault acts on.
pub(crate) struct Stage {
    pub(crate) bed: Bed,
    pub(crate) fleet: Arc<Fleet>,
    pub(crate) ledger: Arc<Ledger>,
    /// See [`Bed::group`].
    pub(crate) group: Vec<Server>,
}

/// How often a fault comes, and how long it stays.
pub(crate) struct Rhythm {
    pub(crate) rounds: usize,
    /// Before each round, from and to.
    pub(crate) pause_ms: (u64, u64),
    /// From the beginning until it is ended.
    pub(crate) hold_ms: (u64, u64),
}

/// Which elements may come twice.
#[derive(Clone, Copy)]
pub(crate) enum Twice {
    Nothing,
    /// So many for each process that was killed.
    PerKill(usize),
    /// What was delivered shortly before a failover, and by the former master.
    Unheard,
}

/// Something that goes wrong, and goes away.
pub(crate) trait Fault {
    fn name(&self) -> &'static str;

    fn kind(&self) -> Kind {
        Kind::Single
    }

    fn load(&self) -> Load {
        Load::default()
    }

    fn rhythm(&self) -> Rhythm;

    fn twice(&self) -> Twice {
        Twice::Nothing
    }

    /// True if a new master may lack what the former has acknowledged.
    fn fails_over(&self) -> bool {
        false
    }

    /// True if it does no harm to a Java process that uses the server directly.
    fn spares_java(&self) -> bool {
        false
    }

    /// True if it is there from `begin` to `heal`. Otherwise it is over at once or never, and stalls
    /// count all the time.
    fn lasts(&self) -> bool {
        true
    }

    /// True if there is only one round, however long the run.
    fn is_singular(&self) -> bool {
        false
    }

    /// Why it cannot be run on this machine.
    fn possible(&self) -> Result<()> {
        Ok(())
    }

    /// Before the first round.
    fn prepare(&self, _stage: &Stage) -> Result<()> {
        Ok(())
    }

    fn begin(&self, stage: &Stage, random: &mut StdRng) -> Result<()>;

    /// Ends it, or waits until others have. When it returns, the cause is gone.
    fn heal(&self, _stage: &Stage) -> Result<()> {
        Ok(())
    }

    /// Waits until the servers are as before.
    fn settle(&self, _stage: &Stage) -> Result<()> {
        Ok(())
    }
}

pub(crate) fn all() -> Vec<Box<dyn Fault>> {
    vec![
        Box::new(restart::Restart),
        Box::new(cut::CALLS),
        Box::new(cut::DELIVERY),
        Box::new(cut::SUBSCRIPTION),
        Box::new(freeze::Freeze),
        Box::new(black_hole::BlackHole),
        Box::new(late_replies::LateReplies),
        Box::new(idle::Idle),
        Box::new(flush::Flush),
        Box::new(memory::Memory),
        Box::new(clocks::PRODUCER),
        Box::new(clocks::MOVER),
        Box::new(crowd::Crowd),
        Box::new(Takeover::planned_by_sentinels()),
        Box::new(Takeover::killed_under_sentinels()),
        Box::new(clocks::NewMaster),
        Box::new(Takeover::planned_in_cluster()),
        Box::new(Takeover::killed_in_cluster()),
        Box::new(migration::Migration),
        Box::new(nodes::Nodes::default()),
        Box::new(partition::Partition),
    ]
}

pub(crate) fn named(names: &[&str]) -> Result<Vec<Box<dyn Fault>>> {
    let mut chosen = Vec::new();
    for name in names {
        let fault = all().into_iter().find(|it| it.name() == *name);
        chosen.push(fault.ok_or_else(|| {
            let known: Vec<&str> = all().iter().map(|it| it.name()).collect();
            format!("no fault is called {name}; these are: {}", known.join(", "))
        })?);
    }
    Ok(chosen)
}

/// One fault for each kind of bed, which is any of those that go with each other.
pub(crate) fn soak() -> Vec<Box<dyn Fault>> {
    vec![
        Box::new(any::Any::single()),
        Box::new(any::Any::sentinels()),
        Box::new(any::Any::cluster()),
        Box::new(any::Any::slots()),
    ]
}
