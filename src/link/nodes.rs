//! Which server has which queue.

use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::watch;

use crate::link::connection::{Link, SideLink};
#[cfg(feature = "sentinel")]
use crate::link::endpoint::Site;
use crate::link::node::Node;
use crate::link::topology::Topology;
#[cfg(feature = "cluster")]
use crate::link::topology::cluster::Cluster;

#[cfg(feature = "cluster")]
mod many;

#[cfg(feature = "cluster")]
use many::ClusterNodes;

/// The masters that have the queues of a client.
#[derive(Debug)]
pub(crate) enum Nodes {
    /// One has all of them.
    One(Arc<Node>),
    #[cfg(feature = "cluster")]
    Many(ClusterNodes),
}

impl Nodes {
    /// The nodes of this topology, on these runtimes; see [`Node::new`].
    pub(crate) fn new(topology: &Topology, callers: Handle, background: Handle) -> Self {
        match topology {
            Topology::One(endpoint) => {
                Self::One(Arc::new(Node::new(endpoint.clone(), &callers, &background)))
            }
            #[cfg(feature = "cluster")]
            Topology::Cluster(cluster) => {
                Self::Many(ClusterNodes::new(Arc::clone(cluster), callers, background))
            }
        }
    }

    /// Keeps up with the changes of the topology from now on, for as long as the client lasts.
    pub(crate) fn keep_up(&self, topology: &Topology, runtime: &Handle) {
        match topology {
            Topology::One(endpoint) => {
                #[cfg(feature = "sentinel")]
                if let Site::Master(sentinels) = endpoint.site() {
                    sentinels.watch(runtime, &self.any());
                }
                #[cfg(not(feature = "sentinel"))]
                let _ = (endpoint, runtime);
            }
            #[cfg(feature = "cluster")]
            Topology::Cluster(cluster) => {
                runtime.spawn(Cluster::keep_up(Arc::downgrade(cluster)));
            }
        }
    }

    /// The node that has the keys of this slot, as far as this client knows.
    pub(crate) fn of(&self, slot: u16) -> Arc<Node> {
        match (self, slot) {
            (Self::One(node), _) => Arc::clone(node),
            #[cfg(feature = "cluster")]
            (Self::Many(nodes), slot) => nodes.of(slot),
        }
    }

    /// All nodes that have slots, as far as this client knows.
    pub(crate) fn all(&self) -> Vec<Arc<Node>> {
        match self {
            Self::One(node) => vec![Arc::clone(node)],
            #[cfg(feature = "cluster")]
            Self::Many(nodes) => nodes.all(),
        }
    }

    /// Any node, for what concerns no queue.
    pub(crate) fn any(&self) -> Arc<Node> {
        self.of(0)
    }

    /// True if the keys of each queue must share a slot.
    pub(crate) fn have_slots(&self) -> bool {
        !matches!(self, Self::One(_))
    }

    /// Counts the moves of slots.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        match self {
            Self::One(_) => watch::channel(0).1,
            #[cfg(feature = "cluster")]
            Self::Many(nodes) => nodes.changes(),
        }
    }

    /// Forgets a node that has no slot any more. True if it has none.
    pub(crate) fn forget(&self, node: &Arc<Node>) -> bool {
        match (self, node) {
            (Self::One(_), _) => false,
            #[cfg(feature = "cluster")]
            (Self::Many(nodes), node) => nodes.forget(node),
        }
    }

    pub(crate) fn close(&self) {
        match self {
            Self::One(node) => node.close(),
            #[cfg(feature = "cluster")]
            Self::Many(nodes) => nodes.close(),
        }
    }
}

/// The way to the node that has the keys of one slot, whichever node that is now.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    nodes: Arc<Nodes>,
    slot: u16,
}

impl Route {
    pub(crate) fn new(nodes: Arc<Nodes>, slot: u16) -> Self {
        Self { nodes, slot }
    }

    /// For transfers, claims and hints.
    pub(crate) fn delivery(&self) -> Arc<Link> {
        Arc::clone(&self.nodes.of(self.slot).delivery)
    }

    /// For large payloads, which would delay everything else.
    pub(crate) fn large(&self) -> Arc<SideLink> {
        Arc::clone(&self.nodes.of(self.slot).large)
    }
}
