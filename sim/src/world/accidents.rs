//! Lets accidents happen to the world.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use rand::RngExt;

use super::{Link, RECENT_MS, World};
use crate::{Keyspace, Server, plan::Accident};

impl World {
    pub(super) fn happen(&mut self, accident: Accident) {
        let now_ms = self.now_ms;
        let kind = format!("{accident:?}");
        let kind = kind.split(' ').next().unwrap_or_default();
        self.recent.push((now_ms + RECENT_MS, kind.to_owned()));
        match accident {
            Accident::Cut { process } => self.cut(|it| it.seat == process),
            Accident::CutAtAnswer { process } => {
                self.processes[process].at_answer = Some(Accident::Cut { process });
            }
            Accident::KillAtAnswer { process, ms } => {
                self.processes[process].at_answer = Some(Accident::Kill { process, ms });
            }
            Accident::Stall { process, ms } => {
                let seat = &mut self.processes[process];
                seat.stalled_until_ms = seat.stalled_until_ms.max(now_ms + ms);
            }
            Accident::HalfOpen { process } => {
                let links = self.links.iter_mut();
                links
                    .filter(|it| it.seat == process)
                    .for_each(|it| it.is_deaf = true);
            }
            Accident::Kill { process, ms } => {
                let seat = &mut self.processes[process];
                seat.process = None;
                seat.idle_until_ms = seat.idle_until_ms.max(now_ms + ms);
            }
            Accident::Leave { process, ms } => {
                let seat = &mut self.processes[process];
                seat.vacant_ms = ms;
                seat.process.as_ref().inspect(|it| it.leave());
            }
            Accident::Freeze { process, ms } => {
                let seat = &mut self.processes[process];
                seat.idle_until_ms = seat.idle_until_ms.max(now_ms + ms);
            }
            Accident::Restart => {
                let place = self.random.random_range(0..self.servers.len());
                let keyspace = self.servers[place].borrow().keyspace(0);
                self.restart(place, keyspace);
            }
            Accident::Forget => {
                let old = self.old_keyspace();
                self.restart(0, old);
            }
            Accident::Jump { ms } => self.jumped_us += ms * 1_000,
            Accident::HandOver { ms } => {
                let keyspace = self.keyspace();
                self.demote();
                self.replace(keyspace, ms);
            }
            Accident::FailOver { ms } => {
                let keyspace = self.old_keyspace();
                self.demote();
                self.replace(keyspace, ms);
            }
            Accident::Full { ms } => self.full_until_ms = self.full_until_ms.max(now_ms + ms),
            Accident::Busy { ms } => self.busy_until_ms = self.busy_until_ms.max(now_ms + ms),
            Accident::Flush => {
                let place = self.random.random_range(0..self.servers.len());
                self.servers[place].borrow_mut().flush_scripts();
            }
            Accident::MoveSlot { queue, ms } => self.begin_moving(queue, ms),
            Accident::Split { ms } => {
                let keyspace = self.old_keyspace();
                self.replace(keyspace, ms);
            }
        }
    }

    pub(super) fn cut(&mut self, which: impl Fn(&Link) -> bool) {
        self.links.retain(|link| {
            if which(link) {
                link.pipe.cut();
                link.server.borrow_mut().disconnect(link.session);
            }
            !which(link)
        });
    }

    /// The keys of a moment ago.
    fn old_keyspace(&self) -> Keyspace {
        match self.snapshots.front() {
            Some((_, keyspace)) => keyspace.clone(),
            None => self.keyspace(),
        }
    }

    fn restart(&mut self, place: usize, keyspace: Keyspace) {
        let server = Rc::clone(&self.servers[place]);
        self.cut(|it| Rc::ptr_eq(&it.server, &server));
        self.start(place, keyspace);
    }

    /// Puts another server in the place of a master.
    pub(super) fn start(&mut self, place: usize, keyspace: Keyspace) {
        let mut server = Server::new();
        server.set_slots(self.servers[place].borrow_mut().slots().cloned());
        server.set_defect(self.defect);
        server.set_keyspace(0, keyspace);
        if self.branches.is_some() {
            server.watch_branches();
            self.branches = Some(self.branches());
        }
        self.servers[place] = Rc::new(RefCell::new(server));
        self.tell_time();
    }

    /// The branches of the scripts of this server and of earlier ones, if somebody watches.
    pub(super) fn branches(&self) -> BTreeMap<String, bool> {
        let Some(mut branches) = self.branches.clone() else {
            return BTreeMap::new();
        };
        for server in &self.servers {
            for (branch, has_run) in server.borrow().branches() {
                *branches.entry(branch).or_default() |= has_run;
            }
        }
        branches
    }

    /// Makes the server a replica.
    fn demote(&mut self) {
        let server = Rc::clone(&self.servers[0]);
        let closed = server.borrow_mut().demote();
        self.cut(|it| Rc::ptr_eq(&it.server, &server) && closed.contains(&it.session));
    }

    /// Puts another server in its place. Streams to the old one last for so long.
    fn replace(&mut self, keyspace: Keyspace, ms: u64) {
        let links = self.links.iter_mut();
        for link in links.filter(|it| Rc::ptr_eq(&it.server, &self.servers[0])) {
            link.until_ms = self.now_ms + ms;
        }
        let mut server = self.servers[0].borrow_mut();
        server.condition().is_full = false;
        server.condition().is_busy = false;
        drop(server);
        (self.full_until_ms, self.busy_until_ms) = (0, 0);
        self.snapshots.clear();
        self.start(0, keyspace);
    }
}
