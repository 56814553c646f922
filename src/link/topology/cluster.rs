//! The masters of a Redis Cluster, and which slots each of them has.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use futures::stream::{FuturesUnordered, StreamExt};
use rand::seq::SliceRandom;
use redis::{ConnectionAddr, ConnectionInfo, RedisError, RedisResult};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout};

use super::address::address_of;
use super::view::View;
use crate::link::access::Access;
use crate::link::connection::{Timeouts, is_loss, timed_out};
use crate::link::endpoint::{Endpoint, Site};
use crate::link::pauses::Pauses;
use crate::sync::lock;

/// A cluster, as this client sees it.
///
/// The view is a guess: a node that no longer has a slot says who has it (`MOVED`), and the call is
/// sent again. After a lost connection or a refusal the client asks several nodes for their views,
/// and takes the latest.
pub(crate) struct Cluster {
    me: Weak<Self>,
    /// Where to ask if no known node answers.
    seeds: Vec<Endpoint>,
    known: Mutex<Known>,
    changes: watch::Sender<u64>,
    /// Asks for a check of the view.
    doubt: Arc<Notify>,
}

/// Which master has which slot.
struct Known {
    /// The master of each slot, as an index of `masters`. A slot that nobody has keeps its last one.
    owners: Vec<usize>,
    /// The masters that own a slot; before the first view, a seed.
    masters: Vec<Endpoint>,
    /// All nodes that the cluster named, also replicas.
    nodes: Vec<ConnectionAddr>,
    /// When nodes last said that these slots had moved.
    moved_at: HashMap<u16, Instant>,
}

impl Cluster {
    pub(crate) const SLOTS: u16 = 16_384;
    /// The view is checked this often even if nobody doubts it, so that the client knows enough
    /// nodes to ask even after all have been replaced one by one.
    const CHECK: Duration = Duration::from_secs(60);
    /// The pause after a check, which doubles while the checks bring nothing new.
    const PAUSE: Duration = Duration::from_millis(200);
    /// The longest pause: a check may be how the client learns that a replica has taken over.
    const LONGEST_PAUSE: Duration = Duration::from_millis(500);
    /// For how long after a move of a slot to ignore what its new owner says about the slot.
    const SETTLING: Duration = Duration::from_millis(100);
    /// For how long the views of other nodes may lag behind what one node said about a moved slot.
    const GOSSIP: Duration = Duration::from_secs(1);
    /// How many nodes to ask at a time. Each needs a connection and a login of its own.
    const ASKED: usize = 2;
    /// The most nodes to ask if none of them sees a working cluster.
    const MOST_ASKED: usize = 5;
    /// How long to wait for an answer before another node is asked, or the answers at hand are enough.
    const MORE: Duration = Duration::from_millis(200);

    /// A cluster that nobody has asked yet.
    pub(crate) fn new(
        servers: Vec<ConnectionInfo>,
        access: Access,
        timeouts: Timeouts,
    ) -> Arc<Self> {
        Arc::new_cyclic(|me| {
            let seed = |info| {
                let site = Site::Node(Weak::clone(me));
                Endpoint::new(site, info, access.clone(), timeouts)
            };
            let seeds: Vec<_> = servers.into_iter().map(seed).collect();
            Self {
                me: Weak::clone(me),
                known: Mutex::new(Known {
                    owners: vec![0; Self::SLOTS.into()],
                    masters: seeds[..1].to_vec(),
                    nodes: Vec::new(),
                    moved_at: HashMap::new(),
                }),
                seeds,
                changes: watch::Sender::new(0),
                doubt: Arc::default(),
            }
        })
    }

    pub(crate) fn owner(&self, slot: u16) -> Endpoint {
        let known = lock(&self.known);
        known.masters[known.owners[usize::from(slot)]].clone()
    }

    pub(crate) fn owners(&self) -> Vec<Endpoint> {
        let known = lock(&self.known);
        let masters = known.masters.iter().enumerate();
        let owners = masters.filter(|(place, _)| known.owners.contains(place));
        owners.map(|(_, master)| master.clone()).collect()
    }

    /// True if the server at this address has a slot.
    pub(crate) fn is_owner(&self, address: &ConnectionAddr) -> bool {
        let known = lock(&self.known);
        let place = known
            .masters
            .iter()
            .position(|it| it.fixed_address() == address);
        place.is_some_and(|place| known.owners.contains(&place))
    }

    /// Counts the changes of the view.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Notes an answer of the server at `address`.
    pub(crate) fn note(&self, error: &RedisError, address: &ConnectionAddr) {
        match error.code() {
            // The answer says who has the slot. The view of a third node may be older.
            Some("MOVED") => match error.redirect_node() {
                Some((to, slot)) => self.moved(slot, to, address),
                // The driver leaves that out of the error of a pipeline.
                None => self.doubt.notify_one(),
            },
            Some("CLUSTERDOWN" | "READONLY" | "MASTERDOWN") => self.doubt.notify_one(),
            _ if is_loss(error) => self.doubt.notify_one(),
            _ => {}
        }
    }

    /// Notes that a slot is at another server, as the one at `from` says.
    fn moved(&self, slot: u16, to: &str, from: &ConnectionAddr) {
        let Some(to) = address_of(to, from) else {
            self.doubt.notify_one();
            return;
        };
        let mut known = lock(&self.known);
        // While two nodes name each other, nobody has the slot.
        let now = Instant::now();
        let is_fresh = |it: &Instant| now.saturating_duration_since(*it) < Self::SETTLING;
        if known.moved_at.get(&slot).is_some_and(is_fresh) {
            return;
        }
        let place = known.place(&to, || self.endpoint(to.clone()));
        if let Some(owner) = known.owners.get_mut(usize::from(slot))
            && *owner != place
        {
            *owner = place;
            known.moved_at.insert(slot, now);
            drop(known);
            self.changes.send_modify(|count| *count += 1);
        }
    }

    fn endpoint(&self, address: ConnectionAddr) -> Endpoint {
        self.seeds[0].at(Site::Node(Weak::clone(&self.me)), address)
    }

    /// Asks for the view, and takes it over. True if a slot has another owner now.
    pub(crate) async fn load(&self) -> RedisResult<bool> {
        Ok(self.believe(self.ask().await?))
    }

    /// Takes a view over. True if a slot has another owner now.
    fn believe(&self, view: View) -> bool {
        let now = Instant::now();
        let is_news = lock(&self.known).take_over(view, now, |address| self.endpoint(address));
        if is_news {
            self.changes.send_modify(|count| *count += 1);
        }
        is_news
    }

    /// Makes the server at this address the owner of all slots.
    #[cfg(test)]
    pub(crate) fn give_all_to(&self, owner: ConnectionAddr) {
        self.believe(View::of_owners(vec![(0..=Self::SLOTS - 1, owner)]));
    }

    /// Keeps the view up to date until the client has gone.
    pub(crate) async fn keep_up(cluster: Weak<Self>) {
        let Some(doubt) = cluster.upgrade().map(|it| Arc::clone(&it.doubt)) else {
            return;
        };
        let mut pauses = Pauses::from_to(Self::PAUSE, Self::LONGEST_PAUSE);
        loop {
            if timeout(Self::CHECK, doubt.notified()).await.is_err() {
                pauses.reset();
            }
            let Some(this) = cluster.upgrade() else {
                return;
            };
            match this.load().await {
                Ok(true) => pauses.reset(),
                Ok(false) => {}
                Err(error) => {
                    tracing::debug!(%error, "no node of the cluster says who has which slot");
                }
            }
            drop(this);
            sleep(pauses.next()).await;
        }
    }

    /// The latest view among those of several nodes. Asks another node for each that fails, is silent
    /// or sees no working cluster.
    async fn ask(&self) -> RedisResult<View> {
        let candidates = self.candidates();
        let mut next = candidates.iter();
        let mut views: FuturesUnordered<_> =
            next.by_ref().take(Self::ASKED).map(View::of).collect();
        let mut best: Option<View> = None;
        let mut failure = timed_out();
        while !views.is_empty() {
            let answer = timeout(Self::MORE, views.next()).await;
            let is_silent = answer.is_err();
            match answer {
                Ok(Some(Ok(view))) => best = Some(View::later(best.take(), view)),
                Ok(Some(Err(error))) => failure = error,
                Ok(None) | Err(_) => {}
            }
            let is_enough = match &best {
                Some(view) if view.is_whole() => true,
                Some(_) => next.len() == 0 || candidates.len() - next.len() >= Self::MOST_ASKED,
                None => false,
            };
            if !is_enough {
                views.extend(next.next().map(View::of));
            } else if is_silent {
                break;
            }
        }
        best.ok_or(failure)
    }

    /// Whom to ask: the nodes in random order, then the other seeds.
    fn candidates(&self) -> Vec<Endpoint> {
        let mut nodes = lock(&self.known).nodes.clone();
        nodes.shuffle(&mut rand::rng());
        let is_other = |seed: &&Endpoint| !nodes.contains(seed.fixed_address());
        let seeds: Vec<_> = self.seeds.iter().filter(is_other).cloned().collect();
        let nodes = nodes.into_iter().map(|address| self.endpoint(address));
        nodes.chain(seeds).collect()
    }
}

impl Known {
    /// The index of the master at this address.
    fn place(&mut self, address: &ConnectionAddr, make: impl FnOnce() -> Endpoint) -> usize {
        let known = self
            .masters
            .iter()
            .position(|it| it.fixed_address() == address);
        known.unwrap_or_else(|| {
            self.masters.push(make());
            self.masters.len() - 1
        })
    }

    /// True if a slot has another owner now. Leaves slots where they are that have just moved.
    fn take_over(
        &mut self,
        view: View,
        now: Instant,
        make: impl Fn(ConnectionAddr) -> Endpoint,
    ) -> bool {
        self.moved_at
            .retain(|_, at| now.saturating_duration_since(*at) < Cluster::GOSSIP);
        let mut is_news = false;
        for (slots, address) in view.owners {
            let place = self.place(&address, || make(address.clone()));
            for slot in slots {
                if let Some(owner) = self.owners.get_mut(usize::from(slot))
                    && !self.moved_at.contains_key(&slot)
                {
                    is_news |= std::mem::replace(owner, place) != place;
                }
            }
        }
        self.nodes = view.nodes;
        self.drop_unused();
        is_news
    }

    /// Forgets masters without slots, so that the list does not grow for ever.
    fn drop_unused(&mut self) {
        let mut used = vec![false; self.masters.len()];
        for owner in &self.owners {
            used[*owner] = true;
        }
        let mut places = Vec::with_capacity(used.len());
        let mut masters = Vec::new();
        for (master, used) in self.masters.drain(..).zip(used) {
            places.push(masters.len());
            if used {
                masters.push(master);
            }
        }
        self.masters = masters;
        for owner in &mut self.owners {
            *owner = places[*owner];
        }
    }
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use redis::IntoConnectionInfo;

    use super::*;

    fn at(port: u16) -> ConnectionAddr {
        ConnectionAddr::Tcp("redis".to_owned(), port)
    }

    fn cluster() -> Arc<Cluster> {
        let seed = "redis://redis:9".into_connection_info().unwrap();
        let timeouts = Timeouts {
            connect: Duration::from_secs(2),
            response: Duration::from_secs(2),
        };
        Cluster::new(vec![seed], Access::default(), timeouts)
    }

    fn all_at(port: u16) -> View {
        View::of_owners(vec![(0..=Cluster::SLOTS - 1, at(port))])
    }

    fn take_over(cluster: &Cluster, view: View, now: Instant) -> bool {
        lock(&cluster.known).take_over(view, now, |it| cluster.endpoint(it))
    }

    #[test]
    fn a_view_from_before_a_move_does_not_take_the_slot_back() {
        let cluster = cluster();
        let start = Instant::now();
        assert!(take_over(&cluster, all_at(1), start));
        cluster.moved(7, "redis:2", &at(1));
        assert!(!take_over(&cluster, all_at(1), Instant::now()));
        assert_eq!(cluster.owner(7).fixed_address(), &at(2));
        assert_eq!(cluster.owner(8).fixed_address(), &at(1));
        // A node that still says so later is right.
        assert!(take_over(
            &cluster,
            all_at(1),
            Instant::now() + Cluster::GOSSIP
        ));
        assert_eq!(cluster.owner(7).fixed_address(), &at(1));
        assert!(lock(&cluster.known).moved_at.is_empty());
    }

    #[test]
    fn only_masters_with_slots_are_kept() {
        let cluster = cluster();
        let now = Instant::now();
        let mut view = all_at(2);
        view.owners = vec![(0..=0, at(2)), (1..=16_383, at(3))];
        assert!(take_over(&cluster, view, now));
        assert!(!cluster.is_owner(&at(9)), "the seed");
        assert!(cluster.is_owner(&at(2)) && cluster.is_owner(&at(3)));
        assert!(take_over(&cluster, all_at(3), now));
        assert!(!cluster.is_owner(&at(2)));
        assert_eq!(lock(&cluster.known).masters.len(), 1);
        assert_eq!(cluster.owner(0).fixed_address(), &at(3));
    }
}
