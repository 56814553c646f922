//! Which server has which queue.

use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::watch;

use crate::error::{Result, Step};
use crate::link::access::Access;
use crate::link::address::{Address, Kind};
use crate::link::connection::{Failure, Link, Met, SideLink, Timeouts};
use crate::link::endpoint::{Endpoint, Site};
use crate::link::node::Node;
use crate::link::topology::cluster::Cluster;
use crate::link::topology::sentinels::Sentinels;

mod many;

use many::ClusterNodes;

/// The masters that have the queues of a client.
#[derive(Debug)]
pub(crate) enum Nodes {
    /// One has all of them.
    One(Arc<Node>),
    Many(ClusterNodes),
}

impl Nodes {
    /// Finds the masters. One server is not asked anything yet. For the runtimes see [`Node::new`].
    pub(crate) async fn find(
        address: Address,
        access: Access,
        timeouts: Timeouts,
        callers: Handle,
        background: Handle,
    ) -> Result<Self> {
        let server = address.to_string();
        let (kind, servers) = address.into_parts();
        #[cfg(any(feature = "tls-native-tls", feature = "tls-rustls"))]
        let servers = crate::link::tls::with_tls(servers, access.tls.as_ref())?;
        let Some(first) = servers.first().cloned() else {
            unreachable!("an address has a server")
        };
        let (site, template) = match kind {
            Kind::Single => (Site::Fixed, first),
            Kind::Sentinel { name, master } => {
                let sentinels = Sentinels::new(name, servers, &access, timeouts);
                let template = first.set_redis_settings(master);
                (Site::Master(Arc::new(sentinels)), template)
            }
            Kind::Cluster => {
                let cluster = Cluster::new(servers, access, timeouts);
                let loaded = cluster.load().await;
                loaded.map_err(|error| {
                    let server = server.into();
                    Failure::NotSent(Met { server, error }).into_error(Step::Connect)
                })?;
                return Ok(Self::of_cluster(cluster, callers, background));
            }
        };
        let endpoint = Endpoint::new(site, template, access, timeouts);
        let node = Node::new(endpoint, &callers, &background);
        Ok(Self::One(Arc::new(node)))
    }

    pub(crate) fn of_cluster(cluster: Arc<Cluster>, callers: Handle, background: Handle) -> Self {
        Self::Many(ClusterNodes::new(cluster, callers, background))
    }

    /// Keeps up with the changes of the topology from now on, for as long as the client lasts.
    pub(crate) fn keep_up(&self, runtime: &Handle) {
        match self {
            Self::One(node) => {
                if let Site::Master(sentinels) = node.endpoint().site() {
                    sentinels.watch(runtime, node);
                }
            }
            Self::Many(nodes) => nodes.keep_up(runtime),
        }
    }

    /// The node that has the keys of this slot, as far as this client knows.
    pub(crate) fn of(&self, slot: u16) -> Arc<Node> {
        match (self, slot) {
            (Self::One(node), _) => Arc::clone(node),
            (Self::Many(nodes), slot) => nodes.of(slot),
        }
    }

    /// All nodes that have slots, as far as this client knows.
    pub(crate) fn all(&self) -> Vec<Arc<Node>> {
        match self {
            Self::One(node) => vec![Arc::clone(node)],
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
            Self::Many(nodes) => nodes.changes(),
        }
    }

    /// Forgets a node that has no slot any more. True if it has none.
    pub(crate) fn forget(&self, node: &Arc<Node>) -> bool {
        match (self, node) {
            (Self::One(_), _) => false,
            (Self::Many(nodes), node) => nodes.forget(node),
        }
    }

    pub(crate) fn close(&self) {
        match self {
            Self::One(node) => node.close(),
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
