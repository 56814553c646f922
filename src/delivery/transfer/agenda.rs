//! When to look at which queue. Pure bookkeeping: the present moment is an argument.
//!
//! The service asks for the next moment and starts the runs that are due. It notes all news here.
//! `watched` is one queue, `planned` one run.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::Instant;

use crate::delivery::intake::{Sides, Signal};
use crate::delivery::peers::{Herd, Moved, Peer};
use crate::metric::Meter;
use crate::options::Options;
use crate::wire::keys::QueueKeys;

mod planned;
mod watched;

pub(crate) use planned::{PlannedRun, Ran};
pub(crate) use watched::Watched;

/// The queues that a transfer service watches, by name and by the moment of their next run.
///
/// A name here is the key of a target queue. A name mapper may show users another name.
#[derive(Debug)]
pub(crate) struct Agenda {
    safety_poll: Duration,
    /// The longest pause after a failed run.
    longest_pause: Duration,
    /// Each queue has histograms of its own.
    queue_histograms: bool,
    database: i64,
    queues: HashMap<Arc<str>, Watched>,
    /// The names by Redisson's channel, and by our own.
    channels: HashMap<String, Arc<str>>,
    /// The names by state key.
    states: HashMap<String, Arc<str>>,
    /// The next run of every queue that is transferred and has none under way.
    order: BTreeSet<(Instant, Arc<str>)>,
    /// With so many queues, it is time to look for abandoned ones.
    full: usize,
}

impl Agenda {
    /// An empty agenda for the queues of a database. Each queue gets a look once a safety poll.
    pub(crate) fn new(options: &Options, database: i64) -> Self {
        Self {
            safety_poll: options.safety_poll,
            longest_pause: options.longest_pause(),
            queue_histograms: options.queue_histograms,
            database,
            queues: HashMap::new(),
            channels: HashMap::new(),
            states: HashMap::new(),
            order: BTreeSet::new(),
            full: 0,
        }
    }

    /// Watches a queue from now on, and transfers it if `transfer` is true. True if the transfer
    /// begins now.
    pub(crate) fn watch(
        &mut self,
        keys: Arc<QueueKeys>,
        sides: Weak<Sides>,
        transfer: bool,
        now: Instant,
    ) -> bool {
        if let Some(watched) = self.queues.get_mut(keys.target()) {
            if let Some(sides) = sides.upgrade() {
                watched.herd.become_known_as(sides.peer());
            }
            watched.sides = sides;
            watched.tell_role();
            let begins = transfer && !watched.is_transferred;
            if begins {
                watched.is_transferred = true;
                watched.poll = now;
                self.order.insert((watched.at(), keys.target().into()));
            }
            return begins;
        }
        let name: Arc<str> = keys.target().into();
        self.channels
            .insert(keys.channel().to_owned(), Arc::clone(&name));
        self.channels
            .insert(keys.moved(self.database), Arc::clone(&name));
        self.states
            .insert(keys.state().to_owned(), Arc::clone(&name));
        if transfer {
            self.order.insert((now, Arc::clone(&name)));
        }
        let meter = match sides.upgrade() {
            Some(sides) => Arc::clone(sides.meter()),
            None => Arc::new(Meter::of(keys.name(), self.queue_histograms)),
        };
        let pause = self.longest_pause;
        let watched = Watched::new(keys, sides, meter, transfer, pause, now);
        self.queues.insert(name, watched);
        transfer
    }

    /// Stops watching a queue, and returns what was known about it.
    pub(crate) fn forget(&mut self, name: &str) -> Option<Watched> {
        let (name, watched) = self.queues.remove_entry(name)?;
        self.channels.remove(watched.keys.channel());
        self.channels.remove(&watched.keys.moved(self.database));
        self.states.remove(watched.keys.state());
        self.order.remove(&(watched.at(), name));
        Some(watched)
    }

    /// Forgets queues that have no handles and are not transferred. No run would do it.
    ///
    /// Does nothing until the queues are twice as many as it left the last time. So the time that it
    /// takes for each new queue does not grow with their number.
    pub(crate) fn forget_abandoned(&mut self) {
        if self.queues.len() < self.full {
            return;
        }
        let abandoned =
            |watched: &&Watched| !watched.is_transferred && watched.sides.strong_count() == 0;
        let names: Vec<_> = self
            .all()
            .filter(abandoned)
            .map(|it| it.keys.target().to_owned())
            .collect();
        for name in names {
            self.forget(&name);
        }
        self.full = 2 * self.queues.len();
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

    /// The keys of the queue to which this channel belongs.
    pub(crate) fn by_channel(&self, channel: &str) -> Option<Arc<QueueKeys>> {
        let name = self.channels.get(channel)?;
        self.queues.get(name).map(|it| Arc::clone(&it.keys))
    }

    /// Tells the takers whose keys changed; with no `keys`, all takers. Wakes the transfer of
    /// paused queues.
    pub(crate) fn hint(&mut self, keys: &[Vec<u8>], now: Instant) {
        if keys.is_empty() {
            for watched in self.all() {
                watched.tell(Signal::Claimable);
                watched.tell(Signal::Released);
            }
        }
        for key in keys.iter().filter_map(|it| std::str::from_utf8(it).ok()) {
            if let Some(watched) = self.queues.get(key) {
                watched.tell(Signal::Changed);
            }
            if let Some(name) = self.states.get(key).cloned()
                && let Some(watched) = self.queues.get_mut(&name)
            {
                watched.tell(Signal::Released);
                // The transfer needs the state only for the end of a pause.
                if watched.paused {
                    watched.trust.lose(now);
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
    pub(crate) fn next_run(&mut self, now: Instant) -> Option<PlannedRun> {
        let (_, name) = self.order.first().filter(|(at, _)| *at <= now)?.clone();
        self.order.pop_first();
        let watched = self.queues.get_mut(&name)?;
        let is_poll = watched.poll <= now;
        if is_poll {
            // Never later than promised. At random, so that queues do not stay in step.
            watched.poll = now + self.safety_poll.mul_f64(rand::random_range(0.9..=1.0));
        }
        // From here on, news may be too late for this run.
        watched.wake = None;
        watched.running = true;
        Some(PlannedRun {
            name,
            keys: Arc::clone(&watched.keys),
            limit: if watched.herd.keeps_out(now) {
                0
            } else {
                watched.pace.limit()
            },
            is_timed: watched.pace.wants_time(),
            placing: std::mem::take(&mut watched.placing),
            bulky_score: watched.bulky_score.clone(),
            is_poll,
            mover: watched.mover(),
            sides: Weak::clone(&watched.sides),
            meter: Arc::clone(&watched.meter),
        })
    }

    /// Ends a failed run. The next one starts at `retry`, not earlier.
    pub(crate) fn fail(&mut self, name: &str, retry: Instant) {
        self.end_run(name, Some(retry), Some(retry));
    }

    /// Ends a run that succeeded. It saw nothing to do before `next`.
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

    /// Looks at the queue at `at` or earlier. Never moves a wake-up later.
    pub(crate) fn bring_forward(&mut self, name: &str, at: Instant) {
        self.amend(name, |watched| watched.wake_by(at));
    }

    /// Looks at the queue in full at `at` or earlier.
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
        if !watched.is_transferred {
            return;
        }
        let before = watched.at();
        change(watched);
        if !watched.running {
            self.order.remove(&(before, Arc::clone(&name)));
            self.order.insert((watched.at(), name));
        }
    }

    /// Notes that callers wait at a client of the queue.
    pub(crate) fn hear_waiting(&mut self, name: &str, peer: Peer) {
        self.amend(name, |watched| watched.herd.hear_waiting(peer));
    }

    /// Handles what a run of a client of the queue says. `head` is when the head is due according to it.
    pub(crate) fn hear_moved(
        &mut self,
        name: &str,
        moved: &Moved,
        head: Option<Instant>,
        now: Instant,
    ) {
        self.amend(name, |watched| {
            let takes = watched.mover().takes;
            let heard = watched.herd.hear_moved(moved, takes, now);
            // The message is newer than all we knew, so its head replaces ours.
            if heard.is_news {
                watched.wake = head;
            }
            if heard.is_caller {
                watched.wake_by(now + Herd::CHECK);
            }
            watched.tell_role();
            if heard.is_called {
                watched.tell(Signal::Called);
            } else if heard.is_others {
                watched.tell(Signal::Explained);
            }
        });
    }

    /// Tells the consumers of a queue when a delivery is due again.
    pub(crate) fn tell_retry(&self, name: &str, at: Instant) {
        let watched = self.queues.get(name);
        if let Some(sides) = watched.and_then(|it| it.sides.upgrade()) {
            sides.tell_retry(at);
        }
    }

    /// Looks at every queue in full now, whoever leads: messages may have been lost.
    pub(crate) fn poll_all(&mut self, now: Instant) {
        self.order.clear();
        for (name, watched) in &mut self.queues {
            watched.herd.part();
            watched.tell_role();
            watched.poll = now;
            if watched.is_transferred && !watched.running {
                self.order.insert((watched.at(), Arc::clone(name)));
            }
        }
    }
}

#[cfg(test)]
mod tests;
