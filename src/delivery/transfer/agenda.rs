//! When to look at which queue: pure bookkeeping, with the present moment as an argument.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use crate::delivery::intake::Ends;
use crate::delivery::peers::{Herd, Message};
use crate::wire::keys::QueueKeys;

mod watched;

pub(crate) use watched::{Run, Watched};

/// The queues that a transfer service looks after, by name and by the moment of their next run.
#[derive(Debug)]
pub(crate) struct Agenda {
    safety_poll: Duration,
    batch: usize,
    /// Where all the queues are.
    database: i64,
    queues: HashMap<Arc<str>, Watched>,
    /// The names by Redisson's channel.
    channels: HashMap<String, Arc<str>>,
    /// The names by our own.
    own_channels: HashMap<String, Arc<str>>,
    /// The names by state key.
    states: HashMap<String, Arc<str>>,
    /// Every queue that is transferred and has no run under way.
    order: BTreeSet<(Instant, Arc<str>)>,
}

impl Agenda {
    /// An empty agenda for the queues of a database. Every queue is looked at once a `safety_poll`,
    /// and moves `batch` elements in a run at first.
    pub(crate) fn new(safety_poll: Duration, batch: usize, database: i64) -> Self {
        Self {
            safety_poll,
            batch,
            database,
            queues: HashMap::new(),
            channels: HashMap::new(),
            own_channels: HashMap::new(),
            states: HashMap::new(),
            order: BTreeSet::new(),
        }
    }

    /// Looks after a queue from now on, and moves what is due in it if `transfer` says so. True if
    /// that begins now.
    pub(crate) fn watch(
        &mut self,
        keys: Arc<QueueKeys>,
        ends: Weak<Ends>,
        transfer: bool,
        now: Instant,
    ) -> bool {
        if let Some(watched) = self.queues.get_mut(keys.target()) {
            if let Some(ends) = ends.upgrade() {
                watched.herd.become_known_as(ends.peer());
            }
            watched.ends = ends;
            watched.tell_role();
            let begins = transfer && !watched.transfer;
            if begins {
                watched.transfer = true;
                watched.poll = now;
                self.order.insert((watched.at(), keys.target().into()));
            }
            return begins;
        }
        let name: Arc<str> = keys.target().into();
        self.channels
            .insert(keys.channel().to_owned(), Arc::clone(&name));
        self.own_channels
            .insert(keys.moved(self.database), Arc::clone(&name));
        self.states
            .insert(keys.state().to_owned(), Arc::clone(&name));
        if transfer {
            self.order.insert((now, Arc::clone(&name)));
        }
        let pause = self.safety_poll.min(Duration::from_secs(1));
        let watched = Watched::new(keys, ends, transfer, self.batch, pause, now);
        self.queues.insert(name, watched);
        transfer
    }

    /// Looks after a queue no longer.
    pub(crate) fn forget(&mut self, name: &str) {
        if let Some((name, watched)) = self.queues.remove_entry(name) {
            self.channels.remove(watched.keys.channel());
            self.own_channels.remove(&watched.keys.moved(self.database));
            self.states.remove(watched.keys.state());
            self.order.remove(&(watched.at(), name));
        }
    }

    /// Looks no longer after the queues without handles that no run would find to be so.
    pub(crate) fn forget_abandoned(&mut self) {
        let abandoned = |watched: &&Watched| !watched.transfer && watched.ends.strong_count() == 0;
        let names: Vec<_> = self
            .all()
            .filter(abandoned)
            .map(|it| it.keys.target().to_owned())
            .collect();
        names.iter().for_each(|name| self.forget(name));
    }

    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut Watched> {
        self.queues.get_mut(name)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Watched> {
        self.queues.values()
    }

    pub(crate) fn all_mut(&mut self) -> impl Iterator<Item = &mut Watched> {
        self.queues.values_mut()
    }

    /// The name of the queue that `channel`, one of Redisson's, belongs to.
    pub(crate) fn by_channel(&self, channel: &str) -> Option<Arc<str>> {
        self.channels.get(channel).cloned()
    }

    /// The name of the queue that `channel`, one of our own, belongs to.
    pub(crate) fn by_own_channel(&self, channel: &str) -> Option<Arc<str>> {
        self.own_channels.get(channel).cloned()
    }

    /// Tells the takers of the queues that `keys` belong to, or those of all queues if it names
    /// none, and has queues looked at whose pause may be over.
    pub(crate) fn hint(&mut self, keys: &[Vec<u8>], now: Instant) {
        if keys.is_empty() {
            for watched in self.all() {
                watched.hint();
                watched.release();
            }
        }
        for key in keys.iter().filter_map(|it| std::str::from_utf8(it).ok()) {
            if let Some(ends) = self.queues.get(key).and_then(|it| it.ends.upgrade()) {
                ends.disturb();
            }
            if let Some(name) = self.states.get(key).cloned()
                && let Some(watched) = self.queues.get(&name)
            {
                watched.release();
                // Other changes than the end of a pause are nothing to the transfer.
                if watched.paused {
                    self.bring_forward(&name, now);
                }
            }
        }
    }

    /// The moment of the next run.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.order.first().map(|(at, _)| *at)
    }

    /// Starts the next run that is due at `now`.
    pub(crate) fn start(&mut self, now: Instant) -> Option<Run> {
        let (_, name) = self.order.first().filter(|(at, _)| *at <= now)?.clone();
        self.order.pop_first();
        let watched = self.queues.get_mut(&name)?;
        let is_poll = watched.poll <= now;
        if is_poll {
            // Never later than promised, and not all queues at once for ever.
            watched.poll = now + self.safety_poll.mul_f64(rand::random_range(0.9..=1.0));
        }
        // Whatever becomes known from here on, the run may not have seen.
        watched.wake = None;
        watched.running = true;
        Some(Run {
            name,
            keys: Arc::clone(&watched.keys),
            limit: if watched.herd.keeps_out(now) {
                0
            } else {
                watched.limit
            },
            placing: std::mem::take(&mut watched.placing),
            large_score: watched.large_score.clone(),
            is_poll,
            mover: watched.mover(),
            ends: Weak::clone(&watched.ends),
        })
    }

    /// Ends a run that failed: the queue is looked at again at `retry`, and not before, whatever
    /// becomes known.
    pub(crate) fn fail(&mut self, name: &str, retry: Instant) {
        self.end_run(name, Some(retry), Some(retry));
    }

    /// Ends a run, which found that nothing it saw is due before `next`.
    pub(crate) fn finish(&mut self, name: &str, next: Option<Instant>) {
        self.end_run(name, next, None);
    }

    fn end_run(&mut self, name: &str, next: Option<Instant>, not_before: Option<Instant>) {
        let Some((name, _)) = self.queues.get_key_value(name) else {
            return;
        };
        let name = Arc::clone(name);
        if let Some(watched) = self.queues.get_mut(&name) {
            watched.running = false;
            watched.not_before = not_before;
            self.order.insert((watched.at(), Arc::clone(&name)));
        }
        if let Some(next) = next {
            self.bring_forward(&name, next);
        }
    }

    /// Sees to it that the queue is looked at by `at`; never moves a wake-up later.
    pub(crate) fn bring_forward(&mut self, name: &str, at: Instant) {
        self.amend(name, |watched| watched.wake_by(at));
    }

    /// Sees to it that the queue is looked at in full by `at`.
    #[cfg(feature = "periodic")]
    pub(crate) fn poll_by(&mut self, name: &str, at: Instant) {
        self.amend(name, |watched| watched.poll = watched.poll.min(at));
    }

    fn amend(&mut self, name: &str, change: impl FnOnce(&mut Watched)) {
        let Some((name, _)) = self.queues.get_key_value(name) else {
            return;
        };
        let name = Arc::clone(name);
        let Some(watched) = self.queues.get_mut(&name) else {
            return;
        };
        if !watched.transfer {
            return;
        }
        let before = watched.at();
        change(watched);
        if !watched.running {
            self.order.remove(&(before, Arc::clone(&name)));
            self.order.insert((watched.at(), name));
        }
    }

    /// Takes in what another client, or this one, said of the queue, and when the head is due by
    /// that.
    pub(crate) fn hear(
        &mut self,
        name: &str,
        message: &Message,
        head: Option<Instant>,
        now: Instant,
    ) {
        self.amend(name, |watched| {
            let takes = watched.mover().takes;
            let heard = watched.herd.hear(message, takes, now);
            // What was known before has been moved, or is in the message.
            if heard.is_news {
                watched.wake = head;
            }
            if heard.is_caller {
                watched.wake_by(now + Herd::CHECK);
            }
            watched.tell_role();
            if let Some(ends) = watched.ends.upgrade() {
                if heard.is_called {
                    ends.call();
                } else if heard.is_others {
                    ends.explain();
                }
            }
        });
    }

    /// Has every queue looked at in full now, whatever others say: it may have been missed.
    pub(crate) fn poll_all(&mut self, now: Instant) {
        self.order.clear();
        for (name, watched) in &mut self.queues {
            watched.herd.part();
            watched.tell_role();
            watched.poll = now;
            if watched.transfer && !watched.running {
                self.order.insert((watched.at(), Arc::clone(name)));
            }
        }
    }
}

#[cfg(test)]
mod tests;
