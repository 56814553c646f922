//! The nodes of a cluster.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex};

use tokio::runtime::Handle;
use tokio::sync::watch;

use crate::link::connection::Leave;
use crate::link::endpoint::Endpoint;
use crate::link::node::Node;
use crate::link::topology::cluster::Cluster;
use crate::sync::lock;

/// The masters of a cluster that this client uses. Each is made when a queue needs it first.
pub(crate) struct ClusterNodes {
    cluster: Arc<Cluster>,
    /// By the server's address.
    made: Mutex<HashMap<Arc<str>, Arc<Node>>>,
    callers: Handle,
    background: Handle,
}

impl ClusterNodes {
    pub(super) fn new(cluster: Arc<Cluster>, callers: Handle, background: Handle) -> Self {
        Self {
            cluster,
            made: Mutex::default(),
            callers,
            background,
        }
    }

    pub(super) fn keep_up(&self, runtime: &Handle) {
        runtime.spawn(Cluster::keep_up(Arc::downgrade(&self.cluster)));
    }

    pub(super) fn of(&self, slot: u16) -> Arc<Node> {
        let mut made = lock(&self.made);
        // Asked under the lock: `forget` would miss a node that is made for a former owner.
        self.node(&mut made, self.cluster.owner(slot))
    }

    pub(super) fn all(&self) -> Vec<Arc<Node>> {
        let mut made = lock(&self.made);
        let owners = self.cluster.owners().into_iter();
        owners.map(|owner| self.node(&mut made, owner)).collect()
    }

    fn node(&self, made: &mut HashMap<Arc<str>, Arc<Node>>, endpoint: Endpoint) -> Arc<Node> {
        let node = made
            .entry(Arc::clone(endpoint.server()))
            .or_insert_with(|| Arc::new(Node::new(endpoint, &self.callers, &self.background)));
        Arc::clone(node)
    }

    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.cluster.changes()
    }

    pub(super) fn forget(&self, node: &Arc<Node>) -> bool {
        let endpoint = node.endpoint();
        let mut made = lock(&self.made);
        if self.cluster.is_owner(endpoint.fixed_address()) {
            return false;
        }
        made.remove(endpoint.server());
        drop(made);
        // The server may be frozen, and what was sent there never answered.
        let moved = "other nodes have the slots of this one";
        node.leave(
            Leave::Now,
            &io::Error::new(io::ErrorKind::ConnectionReset, moved).into(),
        );
        true
    }

    pub(super) fn close(&self) {
        for node in lock(&self.made).values() {
            node.close();
        }
    }
}

impl fmt::Debug for ClusterNodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClusterNodes").finish_non_exhaustive()
    }
}
