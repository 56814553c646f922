//! A slot on the move.

use redis::Connection;

use super::{Cluster, Node};
use crate::{Server, wait::until};

/// A slot on its way from one master to another. A test may look at the middle of it.
#[derive(Debug)]
#[must_use = "the slot is on the move until it is finished"]
pub struct SlotMove<'a> {
    cluster: &'a Cluster,
    slot: String,
    from: Node,
    to: Node,
}

impl<'a> SlotMove<'a> {
    pub(super) fn begin(cluster: &'a Cluster, slot: u16, to: &Server) -> Self {
        let (from, to) = (cluster.owner(slot), cluster.node(to));
        let slot = slot.to_string();
        // In this order, no client is sent to a node that would send it back.
        to.server
            .run::<()>(&["CLUSTER", "SETSLOT", &slot, "IMPORTING", &from.id]);
        from.server
            .run::<()>(&["CLUSTER", "SETSLOT", &slot, "MIGRATING", &to.id]);
        Self {
            cluster,
            slot,
            from,
            to,
        }
    }

    /// Moves at most so many keys of the slot. Returns how many.
    ///
    /// # Panics
    ///
    /// If a node refuses it.
    pub fn move_keys(&self, limit: usize) -> usize {
        migrate(&self.slot, limit, &self.from, &self.to)
    }

    /// Moves the keys that are left and names the new owner to all masters. Waits until all nodes
    /// know it.
    ///
    /// # Panics
    ///
    /// If a node refuses it.
    pub fn finish(self) {
        let cluster = self.cluster;
        self.hand_over();
        cluster.wait_until_ok();
    }

    /// As [`finish`](Self::finish), without the wait.
    pub(super) fn hand_over(self) {
        while self.move_keys(BATCH) > 0 {}
        let name_owner = ["CLUSTER", "SETSLOT", &self.slot, "NODE", &self.to.id];
        // The new owner first: its new epoch wins if the old owner dies in between.
        self.to.server.run::<()>(&name_owner);
        // The others hear it from the new owner, too. By then, a master that gave its last slot away
        // may be a replica, which refuses the command.
        for node in self.cluster.running() {
            let _: redis::RedisResult<()> = node.server.try_run(&name_owner);
        }
    }
}

/// Moves at most `limit` keys of the slot. Returns how many.
fn migrate(slot: &str, limit: usize, from: &Node, to: &Node) -> usize {
    let mut connection = from.server.connection();
    let keys: Vec<Vec<u8>> = redis::cmd("CLUSTER")
        .arg(&["GETKEYSINSLOT", slot])
        .arg(limit)
        .query(&mut connection)
        .expect("a node lists the keys of a slot");
    if !keys.is_empty() {
        // The target may be busy with a failover.
        until("the keys move", || {
            send(&mut connection, &keys, to).map_err(|it| it.to_string())
        });
    }
    keys.len()
}

fn send(connection: &mut Connection, keys: &[Vec<u8>], to: &Node) -> redis::RedisResult<()> {
    let mut migrate = redis::cmd("MIGRATE");
    migrate.arg("127.0.0.1").arg(to.server.met_port());
    migrate.arg(&["", "0", "5000"]);
    if let Some(password) = to.server.password() {
        migrate.arg(&["AUTH", password]);
    }
    migrate.arg("KEYS").arg(keys).query(connection)
}

const BATCH: usize = 100;
