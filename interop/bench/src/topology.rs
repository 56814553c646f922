//! One server or the masters of a cluster, on which the contenders take turns.

use testbed::{Cluster, Settings};

use crate::{
    Result,
    contender::Contender,
    stage::Stage,
    usage::{Spent, Usage},
    worker::Worker,
};

pub(crate) struct Topology {
    /// The masters, or the only server.
    pub(crate) masters: Vec<Stage>,
    cluster: Option<Cluster>,
    url: String,
}

impl Topology {
    pub(crate) fn single() -> Result<Self> {
        let stage = Stage::start()?;
        Ok(Self {
            url: stage.url(),
            masters: vec![stage],
            cluster: None,
        })
    }

    /// Three masters without replicas.
    pub(crate) fn cluster() -> Result<Self> {
        // As Redis has it: the shorter time that tests use makes the nodes talk more.
        let settings = Settings::new().set("cluster-node-timeout", "15000");
        let cluster = Cluster::with(&settings, 0);
        let stages = cluster.masters().into_iter().map(Stage::on);
        Ok(Self {
            masters: stages.collect::<Result<_>>()?,
            url: cluster.url(),
            cluster: Some(cluster),
        })
    }

    pub(crate) fn worker(&self, contender: Contender) -> Result<Worker> {
        contender.start(&self.url)
    }

    /// Empties all masters, but for their scripts.
    pub(crate) fn clear(&mut self) -> Result<()> {
        self.masters.iter_mut().try_for_each(Stage::clear)
    }

    /// The master that has a queue.
    pub(crate) fn master_of(&mut self, queue: &str) -> Result<&mut Stage> {
        let place = self.place_of(queue)?;
        Ok(&mut self.masters[place])
    }

    /// The place of that master among the masters.
    pub(crate) fn place_of(&self, queue: &str) -> Result<usize> {
        let Some(cluster) = &self.cluster else {
            return Ok(0);
        };
        let owner = cluster.master_of(queue);
        let place = self.masters.iter().position(|it| it.is_on(&owner));
        Ok(place.ok_or("no master has the slot")?)
    }

    /// What a piece of work on one process uses, beside what it returns.
    pub(crate) fn spent<T>(
        &mut self,
        worker: &mut Worker,
        work: impl FnOnce(&mut Self, &mut Worker) -> Result<T>,
    ) -> Result<(T, Spent)> {
        let before = self.usage(worker)?;
        let done = work(self, worker)?;
        let after = self.usage(worker)?;
        let spent = after.iter().zip(&before).map(|(it, old)| it.since(old));
        Ok((done, spent.reduce(Spent::and).ok_or("no master")?))
    }

    /// Of each master. The process counts once.
    fn usage(&mut self, worker: &Worker) -> Result<Vec<Usage>> {
        let mut workers = vec![worker];
        let mut usage = Vec::new();
        for master in &mut self.masters {
            usage.push(master.usage(&workers)?);
            workers.clear();
        }
        Ok(usage)
    }
}
