//! The ledger records what the processes offered and got, and finds what breaks a promise.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// The books of a schedule. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger(Arc<Mutex<Books>>);

/// The books, open.
#[derive(Debug, Default)]
pub(crate) struct Books {
    /// The clock of the server, unix us.
    now_us: i64,
    /// The latest time that it has shown, or Java's clock where Java moves elements.
    latest_us: i64,
    elements: BTreeMap<i64, Element>,
    /// Elements of which one may be pending.
    uniques: BTreeMap<i64, Unique>,
    /// Broken promises.
    pub(crate) wrongs: Vec<String>,
    /// Broken promises that are excused if the server forgot writes.
    pub(crate) regressions: Vec<String>,
    /// Attempts and turns that came after later ones, or beside others. That is excused if leases may end while
    /// somebody has the element.
    pub(crate) overtaken: Vec<String>,
    /// The elements that came to the target queue and that nobody has handled, by their keys, in the order in which
    /// they came.
    waiting: BTreeMap<i64, Vec<i64>>,
    /// The elements that ever came there.
    arrived: BTreeSet<i64>,
    /// Who has the turn of a key, by the fence.
    turns: BTreeMap<i64, u64>,
    /// The highest fence of each key.
    fences: BTreeMap<i64, u64>,
}

#[derive(Debug, Default)]
struct Element {
    delay_us: i64,
    /// It cannot be due earlier, unix us.
    due_us: i64,
    is_acknowledged: bool,
    /// A call is on its way that gives it another due time.
    is_moving: bool,
    takes: u32,
    attempts: BTreeSet<u16>,
    is_done: bool,
    rejecting: Call,
    cancelling: Call,
}

/// An element that several processes offer, and that Redis stores unless it is pending.
#[derive(Debug)]
struct Unique {
    /// It cannot be due earlier, unix us.
    due_us: i64,
    /// How often it was stored.
    stored: u32,
    /// How many further offers may have stored it.
    open: u32,
    takes: u32,
}

/// How far a call went that cancels or rejects an element.
#[derive(Debug, Default, Eq, PartialEq)]
enum Call {
    #[default]
    No,
    /// Whether it has worked is unknown.
    Unknown,
    Done,
}

impl Ledger {
    pub(crate) fn open(&self) -> MutexGuard<'_, Books> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Books {
    /// Notes what the clock of the server shows, unix us. Offers that are on their way when it goes back may
    /// be due earlier.
    pub(crate) fn set_time(&mut self, now_us: i64) {
        if now_us < self.now_us {
            let elements = self.elements.values_mut();
            for element in elements.filter(|it| it.is_moving || !it.is_acknowledged) {
                element.due_us = element.due_us.min(now_us + element.delay_us);
            }
            for unique in self.uniques.values_mut().filter(|it| it.open > 0) {
                unique.due_us = unique.due_us.min(now_us);
            }
        }
        self.now_us = now_us;
        self.latest_us = self.latest_us.max(now_us);
    }

    /// Notes that an offer begins. Returns the element.
    pub(crate) fn offer(&mut self, delay: Duration) -> i64 {
        let delay_us = delay.as_micros() as i64;
        let id = 1 + self.elements.len() as i64;
        let element = Element {
            delay_us,
            due_us: self.now_us + delay_us,
            ..Element::default()
        };
        self.elements.insert(id, element);
        id
    }

    /// Notes that an offer begins of the element that has its turn in this second. Returns the element.
    pub(crate) fn offer_unique(&mut self, delay: Duration) -> i64 {
        let id = -1 - self.now_us / 1_000_000;
        let due_us = self.now_us + delay.as_micros() as i64;
        let unique = self.uniques.entry(id).or_insert(Unique {
            due_us,
            stored: 0,
            open: 0,
            takes: 0,
        });
        unique.due_us = unique.due_us.min(due_us);
        unique.open += 1;
        id
    }

    /// Notes what the offer said.
    pub(crate) fn end_unique(&mut self, id: i64, is_stored: bool) {
        if let Some(unique) = self.uniques.get_mut(&id) {
            unique.open -= 1;
            unique.stored += u32::from(is_stored);
        }
    }

    /// Checks what is pending.
    pub(crate) fn check_pending(&mut self, pending: Vec<i64>) {
        let mut seen = BTreeSet::new();
        for id in pending
            .into_iter()
            .filter(|it| self.uniques.contains_key(it))
        {
            if !seen.insert(id) {
                self.regressions
                    .push(format!("element {id} is pending twice"));
            }
        }
    }

    /// Notes that a process of Java begins an offer that will be due by its own clock, unix us. Returns the
    /// element.
    pub(crate) fn offer_at(&mut self, due_us: i64) -> i64 {
        let id = self.offer(Duration::ZERO);
        self.element(id).due_us = due_us;
        id
    }

    /// Notes what the clock of a process of Java shows, by which it moves elements, unix us.
    pub(crate) fn set_wall(&mut self, wall_us: i64) {
        self.latest_us = self.latest_us.max(wall_us);
    }

    /// Notes that an offer has succeeded.
    pub(crate) fn acknowledge(&mut self, id: i64) {
        self.element(id).is_acknowledged = true;
    }

    /// Notes that the element will be due after this delay, if a call succeeds.
    pub(crate) fn reschedule(&mut self, id: i64, delay: Duration) {
        let delay_us = delay.as_micros() as i64;
        let due_us = self.now_us + delay_us;
        let element = self.element(id);
        element.delay_us = element.delay_us.min(delay_us);
        element.due_us = element.due_us.min(due_us);
        // The call is on its way, as an offer is.
        element.is_moving = true;
    }

    /// Notes that a call begins that cancels the element.
    pub(crate) fn begin_cancelling(&mut self, id: i64) {
        self.element(id).cancelling = Call::Unknown;
    }

    /// Notes what the call said.
    pub(crate) fn end_cancelling(&mut self, id: i64, is_cancelled: bool) {
        let element = self.element(id);
        element.cancelling = match is_cancelled {
            true => Call::Done,
            false => Call::No,
        };
        if is_cancelled && (element.takes > 0 || !element.attempts.is_empty()) {
            let text = format!("element {id} was cancelled after it came");
            self.regressions.push(text);
        }
    }

    /// Notes that a caller of `take` has the element.
    pub(crate) fn take(&mut self, id: i64) {
        let latest_us = self.latest_us;
        if let Some(unique) = self.uniques.get_mut(&id) {
            unique.takes += 1;
            if latest_us < unique.due_us {
                self.wrongs.push(format!("element {id} is early"));
            }
            return;
        }
        self.check(id);
        let element = self.element(id);
        element.takes += 1;
        element.is_done = true;
    }

    /// Notes that a consumer has the element.
    pub(crate) fn deliver(&mut self, id: i64, attempt: u16) {
        self.check(id);
        let element = self.element(id);
        let before = element.attempts.last().copied();
        let is_new = element.attempts.insert(attempt);
        if !is_new {
            let text = format!("element {id} came in attempt {attempt} twice");
            self.regressions.push(text);
        } else if let Some(before) = before.filter(|it| *it > attempt) {
            let text = format!("element {id} came in attempt {attempt} after {before}");
            self.overtaken.push(text);
        }
    }

    /// Notes that an element of this key came to the target queue of consumers.
    pub(crate) fn arrive(&mut self, key: i64, id: i64) {
        if self.arrived.insert(id) {
            self.waiting.entry(key).or_default().push(id);
        }
    }

    /// Notes that a consumer begins to handle an element of this key.
    pub(crate) fn begin_turn(&mut self, key: i64, id: i64, fence: u64) {
        let waiting = self.waiting.entry(key).or_default();
        if let Some(place) = waiting.iter().position(|it| *it == id) {
            waiting.remove(place);
            if place > 0 {
                let text = format!("element {id} of key {key} overtook {:?}", &waiting[..place]);
                self.regressions.push(text);
            }
        }
        if let Some(other) = self.turns.insert(key, fence) {
            let text = format!("key {key} has two handlers, of the fences {other} and {fence}");
            self.overtaken.push(text);
        }
        let highest = self.fences.entry(key).or_default();
        if *highest >= fence {
            let text = format!("key {key} has the fence {fence} after {highest}");
            self.overtaken.push(text);
        }
        *highest = fence.max(*highest);
    }

    /// Notes that it no longer does.
    pub(crate) fn end_turn(&mut self, key: i64, fence: u64) {
        if self.turns.get(&key) == Some(&fence) {
            self.turns.remove(&key);
        }
    }

    /// Notes that a consumer is about to acknowledge. Its process may die before it knows more.
    pub(crate) fn finish(&mut self, id: i64) {
        self.element(id).is_done = true;
    }

    /// Notes that a consumer is about to reject the element. Its process may die before it knows more.
    pub(crate) fn begin_rejecting(&mut self, id: i64) {
        let element = self.element(id);
        element.is_done = true;
        element.rejecting = Call::Unknown;
    }

    /// Notes that it has rejected it.
    pub(crate) fn end_rejecting(&mut self, id: i64) {
        self.element(id).rejecting = Call::Done;
    }

    /// Checks the dead letters.
    pub(crate) fn check_dead(&mut self, dead: &[i64]) {
        for (id, element) in &self.elements {
            let count = dead.iter().filter(|it| *it == id).count();
            let may_be = match element.rejecting {
                Call::No => count == 0,
                Call::Unknown => count <= 1,
                Call::Done => count == 1,
            };
            if !may_be {
                let rejecting = &element.rejecting;
                self.regressions.push(format!(
                    "rejected {rejecting:?}, element {id} died {count} times"
                ));
            }
        }
    }

    /// How many elements came more than once to callers of `take`.
    pub(crate) fn doubles(&self) -> usize {
        let uniques = self.uniques.values();
        let uniques = uniques.filter(|it| it.takes > it.stored + it.open);
        self.elements.values().filter(|it| it.takes > 1).count() + uniques.count()
    }

    /// The elements that Redis has and nobody has got for good.
    pub(crate) fn missing(&self) -> Vec<i64> {
        let elements = self.elements.iter();
        let missing = elements
            .filter(|(_, it)| it.is_acknowledged && !it.is_done && it.cancelling == Call::No);
        let uniques = self.uniques.iter().filter(|(_, it)| it.takes < it.stored);
        let uniques = uniques.map(|(id, _)| *id);
        missing.map(|(id, _)| *id).chain(uniques).collect()
    }

    /// How many elements were offered, and how many of these somebody got for good.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let done = self.elements.values().filter(|it| it.is_done).count();
        (self.elements.len(), done)
    }

    fn element(&mut self, id: i64) -> &mut Element {
        self.elements.entry(id).or_default()
    }

    /// Checks that the element may come now.
    fn check(&mut self, id: i64) {
        if self.element(id).cancelling == Call::Done {
            let text = format!("element {id} came after it was cancelled");
            self.regressions.push(text);
        }
        let latest_us = self.latest_us;
        let due_us = self.element(id).due_us;
        if due_us == 0 {
            self.wrongs.push(format!("element {id} was never offered"));
        } else if latest_us < due_us {
            let early = due_us - latest_us;
            self.wrongs
                .push(format!("element {id} is {early} us early"));
        }
    }
}
