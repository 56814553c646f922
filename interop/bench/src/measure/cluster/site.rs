//! The server and the cluster, each with the processes that work on it.

use super::case::{Case, Place};
use crate::{Result, contender::Contender, topology::Topology, worker::Worker};

pub(super) struct Sites {
    server: Site,
    cluster: Site,
}

struct Site {
    topology: Topology,
    workers: Vec<Worker>,
}

impl Sites {
    pub(super) fn start() -> Result<Self> {
        Ok(Self {
            server: Site::start(Topology::single()?)?,
            cluster: Site::start(Topology::cluster()?)?,
        })
    }

    pub(super) fn topology(&mut self, place: Place) -> &mut Topology {
        &mut self.at(place).topology
    }

    /// Where the case is measured, and the process for it.
    pub(super) fn of(&mut self, case: &Case) -> Result<(&mut Topology, &mut Worker)> {
        let site = self.at(case.place);
        let worker = case.way.worker(&mut site.workers)?;
        Ok((&mut site.topology, worker))
    }

    fn at(&mut self, place: Place) -> &mut Site {
        match place {
            Place::Server => &mut self.server,
            Place::Cluster => &mut self.cluster,
        }
    }
}

impl Site {
    fn start(topology: Topology) -> Result<Self> {
        let contenders = [Contender::Own, Contender::Sharded, Contender::Redisson];
        let workers = contenders.map(|it| topology.worker(it));
        Ok(Self {
            workers: workers.into_iter().collect::<Result<_>>()?,
            topology,
        })
    }
}
