//! A cluster.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use redis::RedisResult;

use crate::{Server, Settings, server::Role, wait::until};
use layout::Layout;

mod layout;
mod slot_move;

pub use slot_move::SlotMove;

/// A Redis Cluster of 3 masters, with a replica each if not told otherwise.
///
/// A master counts as failed after 1 s of silence; its replica takes over some 2 s later.
#[derive(Debug)]
pub struct Cluster {
    settings: Settings,
    nodes: Mutex<Vec<Node>>,
}

#[derive(Clone, Debug)]
struct Node {
    server: Server,
    id: String,
}

impl Cluster {
    /// Starts 3 masters and 3 replicas.
    ///
    /// # Panics
    ///
    /// If they do not start.
    #[must_use]
    pub fn start() -> Self {
        Self::with(&Settings::new(), 1)
    }

    /// Starts 3 masters alone.
    ///
    /// # Panics
    ///
    /// If they do not start.
    #[must_use]
    pub fn without_replicas() -> Self {
        Self::with(&Settings::new(), 0)
    }

    /// Starts 3 masters with so many replicas each, all with these settings.
    ///
    /// # Panics
    ///
    /// If they do not start.
    #[must_use]
    pub fn with(settings: &Settings, replicas: usize) -> Self {
        let settings = cluster_settings(settings);
        let start = |_| Node::start(&settings);
        let nodes: Vec<Node> = (0..MASTERS * (1 + replicas)).map(start).collect();
        for (index, node) in nodes.iter().enumerate() {
            // Equal epochs would be settled one after the other, later.
            let epoch = (index + 1).to_string();
            node.server
                .run::<()>(&["CLUSTER", "SET-CONFIG-EPOCH", &epoch]);
            // Everybody meets everybody: gossip is slower.
            for other in &nodes[..index] {
                node.meet(other);
            }
        }
        for (index, master) in nodes[..MASTERS].iter().enumerate() {
            let (first, end) = (index * SLOTS / MASTERS, (index + 1) * SLOTS / MASTERS);
            let slots: Vec<String> = (first..end).map(|slot| slot.to_string()).collect();
            let mut command = vec!["CLUSTER", "ADDSLOTS"];
            command.extend(slots.iter().map(String::as_str));
            master.server.run::<()>(&command);
        }
        for (index, replica) in nodes[MASTERS..].iter().enumerate() {
            replica.replicate(&nodes[index % MASTERS]);
        }
        let cluster = Self {
            settings,
            nodes: Mutex::new(nodes),
        };
        cluster.wait_until_ok();
        cluster
    }

    /// All nodes, those that are killed or frozen too.
    #[must_use]
    pub fn nodes(&self) -> Vec<Server> {
        self.all().iter().map(|it| it.server.clone()).collect()
    }

    /// Where clients connect: `redis+cluster://`, the password if there is one, and the addresses of
    /// all nodes with commas in between.
    #[must_use]
    pub fn url(&self) -> String {
        self.url_with("redis+cluster", Server::port)
    }

    /// As [`url`](Self::url), with `rediss+cluster://` and the TLS ports.
    ///
    /// # Panics
    ///
    /// If the settings have no TLS.
    #[must_use]
    pub fn tls_url(&self) -> String {
        self.url_with("rediss+cluster", Server::tls_port)
    }

    /// The masters that own slots.
    ///
    /// # Panics
    ///
    /// If no node answers.
    #[must_use]
    pub fn masters(&self) -> Vec<Server> {
        let (nodes, layout) = (self.running(), self.layout());
        let masters = nodes.iter().filter(|it| layout.owns_slots(&it.id));
        masters.map(|it| it.server.clone()).collect()
    }

    /// The slot of a key.
    ///
    /// # Panics
    ///
    /// If no node answers.
    #[must_use]
    pub fn slot_of(&self, key: &str) -> u16 {
        self.any().run(&["CLUSTER", "KEYSLOT", key])
    }

    /// The master that owns the slot of this key, whether or not it is running.
    ///
    /// # Panics
    ///
    /// If no node answers, or none owns the slot.
    #[must_use]
    pub fn master_of(&self, key: &str) -> Server {
        self.owner(self.slot_of(key)).server
    }

    /// A running replica of the master that owns the slot of this key.
    ///
    /// # Panics
    ///
    /// If there is none.
    #[must_use]
    pub fn replica_of(&self, key: &str) -> Server {
        let master = self.owner(self.slot_of(key));
        let layout = self.layout();
        let mut running = self.running().into_iter();
        let replica = running.find(|it| layout.master_of(&it.id) == Some(&master.id));
        replica.expect("the master has a running replica").server
    }

    /// Kills the master that owns the slot of this key, and returns it. Does not wait for its
    /// replica to take over: [`wait_until_ok`](Self::wait_until_ok) does.
    ///
    /// # Panics
    ///
    /// As [`master_of`](Self::master_of).
    pub fn kill_master_of(&self, key: &str) -> Server {
        let master = self.master_of(key);
        master.kill();
        master
    }

    /// Makes the replica of this key a master, as planned work does: `CLUSTER FAILOVER`. Returns
    /// the new master when all nodes know it.
    ///
    /// # Panics
    ///
    /// If there is no replica, or if it does not take over.
    pub fn failover(&self, key: &str) -> Server {
        let replica = self.replica_of(key);
        replica.run::<()>(&["CLUSTER", "FAILOVER"]);
        until("the replica takes over", || {
            let master = self.master_of(key);
            (master == replica)
                .then_some(())
                .ok_or_else(|| master.address())
        });
        self.wait_until_ok();
        replica
    }

    /// Moves a slot with its keys, and waits until all nodes know its new owner.
    ///
    /// # Panics
    ///
    /// If a node refuses a step.
    pub fn move_slot(&self, slot: u16, to: &Server) {
        self.begin_move(slot, to).finish();
    }

    /// Begins to move a slot: its owner is migrating it, and `to` is importing it. No key has moved.
    ///
    /// # Panics
    ///
    /// If a node refuses it.
    pub fn begin_move(&self, slot: u16, to: &Server) -> SlotMove<'_> {
        SlotMove::begin(self, slot, to)
    }

    /// Gives the slot of a key to another master, and leaves the keys where they are. Waits until all nodes
    /// know it.
    ///
    /// # Panics
    ///
    /// If the nodes do not agree in time.
    pub fn give_away(&self, key: &str, to: &Server) {
        let slot = self.slot_of(key).to_string();
        for node in self.nodes() {
            // A node that knows no owner refuses it.
            let _: RedisResult<()> = node.try_run(&["CLUSTER", "DELSLOTS", &slot]);
        }
        to.run::<()>(&["CLUSTER", "ADDSLOTS", &slot]);
        let port = to.port().to_string();
        for node in self.nodes() {
            until("all nodes know the new owner", || {
                let asked: RedisResult<u64> = node.try_run(&["EXISTS", key]);
                match (asked, node.address() == to.address()) {
                    (Ok(_), true) => Ok(()),
                    (Err(error), false) if format!("{error:?}").contains(&port) => Ok(()),
                    (asked, _) => Err(format!("{asked:?}")),
                }
            });
        }
    }

    /// Adds a master without slots, and waits until all nodes know it.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub fn add_node(&self) -> Server {
        let node = Node::start(&self.settings);
        self.all().push(node.clone());
        for other in self.running() {
            if other.id != node.id {
                node.meet(&other);
            }
        }
        self.wait_until_ok();
        node.server
    }

    /// Moves the slots of a node away, lets all others forget it, and kills it.
    ///
    /// Its slots go to the other master that has the fewest nodes before it in [`nodes`](Self::nodes),
    /// its replicas with them. A node with thousands of slots takes many seconds.
    ///
    /// # Panics
    ///
    /// If it is no node of this cluster, or if a node refuses a step.
    pub fn remove_node(&self, server: &Server) {
        let leaving = self.node(server);
        let layout = self.layout();
        let others: Vec<Node> = self.running();
        let others = others.into_iter().filter(|it| it.id != leaving.id);
        let others: Vec<Node> = others.collect();
        if layout.owns_slots(&leaving.id) {
            let heir = others.iter().find(|it| layout.owns_slots(&it.id));
            let heir = heir.expect("another master takes the slots");
            for slot in layout.slots_of(&leaving.id) {
                self.begin_move(slot, &heir.server).hand_over();
            }
            let follows = |it: &&Node| layout.master_of(&it.id) == Some(&leaving.id);
            for replica in others.iter().filter(follows) {
                replica.replicate(heir);
            }
        }
        self.all().retain(|it| it.id != leaving.id);
        server.kill();
        for other in &others {
            other.server.run::<()>(&["CLUSTER", "FORGET", &leaving.id]);
        }
        self.wait_until_ok();
    }

    /// Waits until the running nodes agree: each slot has a running owner, the state is `ok`, and
    /// each replica follows its master.
    ///
    /// # Panics
    ///
    /// If they do not, within [`PATIENCE`](crate::PATIENCE).
    pub fn wait_until_ok(&self) {
        until("the cluster is ok", || self.check());
    }

    fn url_with(&self, scheme: &str, port: fn(&Server) -> u16) -> String {
        let nodes = self.nodes();
        let ports: Vec<u16> = nodes.iter().map(port).collect();
        nodes[0].url_to(scheme, &ports)
    }

    fn check(&self) -> Result<(), String> {
        let running = self.running();
        let ids: Vec<&str> = running.iter().map(|it| it.id.as_str()).collect();
        let mut agreed: Option<Layout> = None;
        let mut epochs = BTreeSet::new();
        for node in &running {
            let address = node.server.address();
            let layout = node.layout()?.among(&ids)?;
            if agreed.as_ref().is_some_and(|it| *it != layout) {
                return Err(format!("{address} disagrees: {layout:?}, not {agreed:?}"));
            }
            agreed = Some(layout);
            let info: String = node.ask(&["CLUSTER", "INFO"])?;
            if !info.contains("cluster_state:ok") {
                return Err(format!("{address}: {info}"));
            }
            let epoch = info
                .lines()
                .find(|it| it.starts_with("cluster_current_epoch:"));
            epochs.insert(epoch.unwrap_or_default().to_owned());
            let role = node.server.info("replication", "role");
            let link = node.server.info("replication", "master_link_status");
            if role.is_ok_and(|it| it.as_deref() == Some("slave"))
                && link.is_ok_and(|it| it.as_deref() != Some("up"))
            {
                return Err(format!("{address} has no link to its master"));
            }
        }
        // A node that is given a slot takes the next epoch that it knows of. If another has that
        // one already, both may end up naming each other as the owner.
        if epochs.len() > 1 {
            return Err(format!("the nodes know different epochs: {epochs:?}"));
        }
        Ok(())
    }

    fn owner(&self, slot: u16) -> Node {
        let layout = self.layout();
        let all = self.all();
        let owner = all
            .iter()
            .find(|it| layout.slots_of(&it.id).any(|its| its == slot));
        owner
            .unwrap_or_else(|| panic!("no node owns slot {slot}"))
            .clone()
    }

    fn node(&self, server: &Server) -> Node {
        let all = self.all();
        let node = all.iter().find(|it| it.server == *server);
        node.expect("a node of this cluster").clone()
    }

    /// The view of the node that has seen the newest epoch.
    fn layout(&self) -> Layout {
        until("a node tells the layout", || {
            let running = self.running();
            let layouts = running.iter().filter_map(|it| it.layout().ok());
            layouts.max_by_key(Layout::epoch).ok_or_else(String::new)
        })
    }

    fn any(&self) -> Server {
        let node = self.running().into_iter().next();
        node.expect("a node is running").server
    }

    fn running(&self) -> Vec<Node> {
        let all = self.all();
        let running = all.iter().filter(|it| it.server.is_running());
        running.cloned().collect()
    }

    fn all(&self) -> MutexGuard<'_, Vec<Node>> {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Node {
    fn start(settings: &Settings) -> Self {
        let server = Server::start_as(Role::ClusterNode, settings);
        let id = server.run(&["CLUSTER", "MYID"]);
        Self { server, id }
    }

    fn meet(&self, other: &Self) {
        let port = other.server.met_port().to_string();
        self.server
            .run::<()>(&["CLUSTER", "MEET", "127.0.0.1", &port]);
    }

    /// Follows a master, as soon as this node knows it.
    fn replicate(&self, master: &Self) {
        until("the replica knows its master", || {
            self.ask::<()>(&["CLUSTER", "REPLICATE", &master.id])
        });
    }

    fn layout(&self) -> Result<Layout, String> {
        let text: String = self.ask(&["CLUSTER", "NODES"])?;
        Ok(Layout::parse(&text))
    }

    fn ask<T: redis::FromRedisValue>(&self, command: &[&str]) -> Result<T, String> {
        let reply = self.server.try_run(command);
        reply.map_err(|error| format!("{}: {error}", self.server.address()))
    }
}

fn cluster_settings(settings: &Settings) -> Settings {
    let mut all = Settings::new()
        .set("cluster-enabled", "yes")
        .set("cluster-announce-ip", "127.0.0.1")
        .set("cluster-node-timeout", "1000")
        // A replica takes over however long it had no link to its master.
        .set("cluster-replica-validity-factor", "0")
        // Redis waits 5 s for more replicas otherwise.
        .set("repl-diskless-sync-delay", "0");
    if settings.certificates().is_some() {
        all = all.set("tls-cluster", "yes");
    }
    all.and(settings)
}

const MASTERS: usize = 3;
const SLOTS: usize = 16_384;
