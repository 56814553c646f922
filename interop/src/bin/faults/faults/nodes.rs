//! A node joins the cluster, takes the slot of the queue, and leaves.

use std::cell::RefCell;

use rand::rngs::StdRng;
use testbed::Server;

use super::{Fault, Rhythm, Stage};
use crate::{QUEUE, Result, bed::Kind};

#[derive(Default)]
pub(super) struct Nodes {
    joined: RefCell<Option<Server>>,
}

impl Fault for Nodes {
    fn name(&self) -> &'static str {
        "nodes"
    }

    fn kind(&self) -> Kind {
        Kind::Cluster
    }

    fn rhythm(&self) -> Rhythm {
        Rhythm {
            rounds: 6,
            pause_ms: (1_000, 2_000),
            hold_ms: (0, 0),
        }
    }

    /// Every other round a node joins, and in the next it leaves.
    fn begin(&self, stage: &Stage, _: &mut StdRng) -> Result<()> {
        let cluster = stage.bed.cluster()?;
        match self.joined.take() {
            Some(node) => cluster.remove_node(&node),
            None => {
                let node = cluster.add_node();
                cluster.move_slot(cluster.slot_of(QUEUE), &node);
                self.joined.replace(Some(node));
            }
        }
        Ok(())
    }
}
