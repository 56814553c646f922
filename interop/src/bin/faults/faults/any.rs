//! Any fault of those that one bed can have, for a long run.

use std::cell::Cell;

use rand::{RngExt, rngs::StdRng};

use super::{
    Fault, Rhythm, Stage, Twice, black_hole, crowd, cut, flush, freeze, memory, migration, nodes,
    restart, takeover::Takeover,
};
use crate::{Result, bed::Kind, load::Load};

pub(super) struct Any {
    name: &'static str,
    kind: Kind,
    faults: Vec<Box<dyn Fault>>,
    present: Cell<usize>,
}

impl Any {
    pub(super) fn single() -> Self {
        Self::of(
            "soak-single",
            Kind::Durable,
            vec![
                Box::new(restart::Restart),
                Box::new(cut::CALLS),
                Box::new(cut::DELIVERY),
                Box::new(cut::SUBSCRIPTION),
                Box::new(freeze::Freeze),
                Box::new(black_hole::BlackHole),
                Box::new(flush::Flush),
                Box::new(memory::Memory),
                Box::new(crowd::Crowd),
            ],
        )
    }

    pub(super) fn sentinels() -> Self {
        Self::of(
            "soak-sentinels",
            Kind::Sentinels,
            vec![
                Box::new(Takeover::planned_by_sentinels()),
                Box::new(Takeover::killed_under_sentinels()),
            ],
        )
    }

    pub(super) fn cluster() -> Self {
        Self::of(
            "soak-cluster",
            Kind::Cluster,
            vec![
                Box::new(Takeover::planned_in_cluster()),
                Box::new(Takeover::killed_in_cluster()),
            ],
        )
    }

    pub(super) fn slots() -> Self {
        Self::of(
            "soak-slots",
            Kind::Cluster,
            vec![
                Box::new(migration::Migration),
                Box::new(nodes::Nodes::default()),
            ],
        )
    }

    fn of(name: &'static str, kind: Kind, faults: Vec<Box<dyn Fault>>) -> Self {
        Self {
            name,
            kind,
            faults,
            present: Cell::new(0),
        }
    }

    fn present(&self) -> &dyn Fault {
        self.faults[self.present.get()].as_ref()
    }
}

impl Fault for Any {
    fn name(&self) -> &'static str {
        self.name
    }

    fn kind(&self) -> Kind {
        self.kind
    }

    fn load(&self) -> Load {
        Load {
            is_proxied: self.kind == Kind::Durable,
            ..Load::default()
        }
    }

    fn rhythm(&self) -> Rhythm {
        Rhythm {
            rounds: 20,
            pause_ms: (100, 3_000),
            hold_ms: (0, 4_000),
        }
    }

    fn twice(&self) -> Twice {
        match self.kind {
            Kind::Durable => Twice::PerKill(Load::default().callers),
            _ if self.fails_over() => Twice::Unheard,
            _ => Twice::Nothing,
        }
    }

    fn fails_over(&self) -> bool {
        self.faults.iter().any(|it| it.fails_over())
    }

    fn lasts(&self) -> bool {
        self.present().lasts()
    }

    fn begin(&self, stage: &Stage, random: &mut StdRng) -> Result<()> {
        self.present.set(random.random_range(0..self.faults.len()));
        self.present().begin(stage, random)
    }

    fn heal(&self, stage: &Stage) -> Result<()> {
        self.present().heal(stage)
    }

    fn settle(&self, stage: &Stage) -> Result<()> {
        self.present().settle(stage)
    }
}
