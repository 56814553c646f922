//! Slots of a cluster that go from one server to another, and what its servers tell each other.

use std::{cell::RefCell, rc::Rc};

use rand::RngExt;

use super::World;
use crate::{
    Server,
    server::slots::{Slots, slot_of},
};

/// How long the former owner takes at most to learn that a slot has gone.
const HANDED_OVER_MS: u64 = 50;
/// The same for a server that had no part in it.
const GOSSIP_MS: u64 = 500;

/// A slot that goes to another server.
#[derive(Debug)]
pub(super) struct Move {
    slot: u16,
    from: usize,
    to: usize,
    /// All keys have gone then.
    until_ms: u64,
    /// The servers that do not know the new owner, and when they will.
    unaware: Vec<(u64, usize)>,
}

impl World {
    /// Begins to move the slot of a queue, if it does not move already.
    pub(super) fn begin_moving(&mut self, queue: &str, ms: u64) {
        let slot = slot_of(queue.as_bytes());
        if self.moves.iter().any(|it| it.slot == slot) {
            return;
        }
        let from = self.slots(0, |it| it.owner(slot));
        let to = (from + self.random.random_range(1..self.servers.len())) % self.servers.len();
        self.slots(from, |it| it.leave(slot, to));
        let until_ms = self.now_ms + ms;
        let mut unaware = vec![(0, to)];
        for server in (0..self.servers.len()).filter(|it| *it != to) {
            let most = if server == from {
                HANDED_OVER_MS
            } else {
                GOSSIP_MS
            };
            unaware.push((until_ms + self.random.random_range(0..most), server));
        }
        self.moves.push(Move {
            slot,
            from,
            to,
            until_ms,
            unaware,
        });
    }

    /// Moves some keys, or all that are left at the end. Then one server after the other learns of it.
    pub(super) fn go_on_moving(&mut self) {
        let mut moves = std::mem::take(&mut self.moves);
        for it in &mut moves {
            let is_over = self.now_ms >= it.until_ms;
            while is_over || self.random.random_bool(0.01) {
                let (from, to) = (&self.servers[it.from], &self.servers[it.to]);
                let Some(key) = from.borrow().key_of(it.slot) else {
                    break;
                };
                from.borrow_mut().migrate(&key, &mut to.borrow_mut());
            }
            if !is_over {
                continue;
            }
            it.unaware.retain(|(at, server)| {
                let learns = *at <= self.now_ms;
                if learns {
                    self.slots(*server, |slots| slots.settle(it.slot, it.to));
                }
                !learns
            });
        }
        moves.retain(|it| !it.unaware.is_empty());
        self.moves = moves;
    }

    /// Lets the other servers of the cluster publish what this one did.
    pub(super) fn spread(&self, from: &Rc<RefCell<Server>>) {
        for (channel, message) in from.borrow_mut().take_published() {
            for server in self.servers.iter().filter(|it| !Rc::ptr_eq(it, from)) {
                server.borrow_mut().hear(&channel, &message);
            }
        }
    }

    fn slots<T>(&self, server: usize, of: impl FnOnce(&mut Slots) -> T) -> T {
        let mut server = self.servers[server].borrow_mut();
        of(server.slots().expect("it is a cluster"))
    }
}
