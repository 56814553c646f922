//! The ledger: what was offered, what became of it, and when the fault began and ended.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Mutex, MutexGuard},
    time::{Duration, Instant},
};

use crate::NO_PANIC;

/// Everything that is noted. It is shared by all threads of a run.
#[derive(Default)]
pub(crate) struct Ledger(Mutex<Notes>);

#[derive(Default)]
pub(crate) struct Notes {
    pub(crate) accounts: HashMap<String, Account>,
    /// Nothing for faults that are over at once or never: stalls count all the time then.
    pub(crate) episodes: Vec<Episode>,
    pub(crate) rounds: usize,
    pub(crate) last_acknowledged: Option<Instant>,
    pub(crate) last_came: Option<Instant>,
    /// By how much the clock of the master is ahead, since when.
    pub(crate) clocks: Vec<(Instant, i64)>,
    /// Calls that failed, by message.
    pub(crate) failures: BTreeMap<String, usize>,
    /// When consumers were killed.
    pub(crate) kills: Vec<Instant>,
    /// When producers stopped.
    pub(crate) load_ended: Option<Instant>,
}

/// One element.
pub(crate) struct Account {
    pub(crate) sent: Instant,
    pub(crate) delay: Duration,
    pub(crate) acknowledged: Option<Instant>,
    /// Whether a failover must not lose it.
    pub(crate) is_durable: bool,
    pub(crate) came: Vec<Instant>,
}

/// One occurrence of the fault.
#[derive(Clone, Copy)]
pub(crate) struct Episode {
    pub(crate) begun: Instant,
    pub(crate) healed: Instant,
    /// When all servers agreed again.
    pub(crate) settled: Instant,
}

impl Ledger {
    pub(crate) fn offers(&self, value: &str, delay: Duration) {
        let account = Account {
            sent: Instant::now(),
            delay,
            acknowledged: None,
            is_durable: false,
            came: Vec::new(),
        };
        self.notes().accounts.insert(value.to_owned(), account);
    }

    pub(crate) fn acknowledged(&self, value: &str, at: Instant, is_durable: bool) {
        let mut notes = self.notes();
        notes.last_acknowledged = notes.last_acknowledged.max(Some(at));
        if let Some(account) = notes.accounts.get_mut(value) {
            account.acknowledged = Some(at);
            account.is_durable = is_durable;
        }
    }

    pub(crate) fn came(&self, value: &str) {
        let at = Instant::now();
        let mut notes = self.notes();
        notes.last_came = Some(at);
        match notes.accounts.get_mut(value) {
            Some(account) => account.came.push(at),
            None => {
                *notes
                    .failures
                    .entry(format!("{value} came, which nobody offered"))
                    .or_default() += 1
            }
        }
    }

    /// Notes the beginning of a message: the rest of Redisson's differs each time.
    pub(crate) fn failed(&self, what: &str) {
        let what = what.chars().take(BEGINNING).collect();
        *self.notes().failures.entry(what).or_default() += 1;
    }

    /// True if an offer was acknowledged and an element came, both after that moment.
    pub(crate) fn moves_since(&self, moment: Instant) -> bool {
        let notes = self.notes();
        let is_later = |it: Option<Instant>| it.is_some_and(|it| it > moment);
        is_later(notes.last_acknowledged) && is_later(notes.last_came)
    }

    /// True if everything came that must come.
    pub(crate) fn is_settled(&self) -> bool {
        let notes = self.notes();
        let mut due = notes.accounts.values().filter(|it| it.is_durable);
        due.all(|it| !it.came.is_empty())
    }

    pub(crate) fn notes(&self) -> MutexGuard<'_, Notes> {
        self.0.lock().expect(NO_PANIC)
    }
}

const BEGINNING: usize = 110;
