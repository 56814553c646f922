//! The ledger: what was offered, what became of it, and whether that adds up.

use std::{
    collections::HashMap,
    ops::AddAssign,
    sync::{
        Mutex,
        atomic::{AtomicI64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use crate::{Result, fleet::Ends};

/// The least and the most often that a value may come.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Due {
    pub(crate) least: i64,
    pub(crate) most: i64,
}

pub(crate) const ONCE: Due = Due { least: 1, most: 1 };
pub(crate) const MAYBE: Due = Due { least: 0, most: 1 };
pub(crate) const GONE: Due = Due {
    least: -1,
    most: -1,
};
pub(crate) const MAYBE_GONE: Due = Due { least: -1, most: 0 };

impl AddAssign for Due {
    fn add_assign(&mut self, other: Self) {
        self.least += other.least;
        self.most += other.most;
    }
}

/// An element that a process had in hand.
struct Delivery {
    process: usize,
    at: Instant,
}

#[derive(Default)]
pub(crate) struct Ledger {
    accounts: Mutex<HashMap<String, (Due, Vec<Delivery>)>>,
    /// How many elements have still to come.
    open: AtomicI64,
}

/// What the ledger shows in the end.
#[derive(Debug, Default)]
pub(crate) struct Balance {
    pub(crate) values: usize,
    pub(crate) deliveries: usize,
    /// Elements that came again after the process that had them first was killed.
    pub(crate) twice_by_kills: usize,
    /// The longest time from such a delivery to the kill.
    pub(crate) longest_to_kill: Duration,
    /// Elements that did not come.
    pub(crate) missing: Vec<String>,
    /// Elements that came too often, without a kill to explain it.
    pub(crate) twice: Vec<String>,
}

impl Ledger {
    pub(crate) fn note(&self, value: &str, due: Due) {
        let mut accounts = self.accounts.lock().expect(NO_PANIC);
        accounts.entry(value.to_owned()).or_default().0 += due;
        self.open.fetch_add(due.least, Relaxed);
    }

    pub(crate) fn came(&self, value: &str, process: usize) {
        let at = Instant::now();
        let mut accounts = self.accounts.lock().expect(NO_PANIC);
        let account = accounts.entry(value.to_owned()).or_default();
        account.1.push(Delivery { process, at });
        self.open.fetch_sub(1, Relaxed);
    }

    /// How many elements have still to come, roughly.
    pub(crate) fn open(&self) -> i64 {
        self.open.load(Relaxed)
    }

    /// How many of the values that begin so came, and of how many.
    pub(crate) fn count(&self, prefix: &str) -> (usize, usize) {
        let accounts = self.accounts.lock().expect(NO_PANIC);
        let of_these = accounts
            .iter()
            .filter(|(value, _)| value.starts_with(prefix));
        of_these.fold((0, 0), |(came, all), (_, (_, deliveries))| {
            (came + deliveries.len(), all + 1)
        })
    }

    /// True if every element came that must come.
    pub(crate) fn is_settled(&self) -> bool {
        let accounts = self.accounts.lock().expect(NO_PANIC);
        let mut accounts = accounts.values();
        accounts.all(|(due, deliveries)| deliveries.len() as i64 >= due.least)
    }

    /// Adds up; values that begin with `apart` are accounted for elsewhere.
    pub(crate) fn balance(&self, ends: &Ends, apart: &str) -> Balance {
        let accounts = self.accounts.lock().expect(NO_PANIC);
        let mut balance = Balance::default();
        for (value, (due, deliveries)) in accounts.iter() {
            balance.deliveries += deliveries.len();
            if value.starts_with(apart) {
                continue;
            }
            balance.values += 1;
            let came = deliveries.len() as i64;
            if came < due.least {
                balance
                    .missing
                    .push(format!("{value} {due:?} came {came} times"));
            }
            let reasons = deliveries.iter().rev().skip(1);
            let reasons: Vec<Duration> = reasons.filter_map(|it| it.to_kill(ends)).collect();
            let spare = usize::try_from(came - due.most).unwrap_or(0);
            if spare > reasons.len() {
                balance
                    .twice
                    .push(format!("{value} {due:?} came {came} times"));
            } else if spare > 0 {
                balance.twice_by_kills += spare;
                let longest = reasons.into_iter().max().unwrap_or_default();
                balance.longest_to_kill = balance.longest_to_kill.max(longest);
            }
        }
        balance
    }
}

impl Delivery {
    /// How long after the delivery the process was killed; `None` if it was not, or long after.
    fn to_kill(&self, ends: &Ends) -> Option<Duration> {
        let killed = ends.killed.get(&self.process)?;
        let passed = killed.saturating_duration_since(self.at);
        (passed < HAND_OVER).then_some(passed)
    }
}

impl Balance {
    /// Fails unless all is accounted for. A take that is killed after its return and before its report
    /// loses what it returned. The moment is so short that this happens to one take at the most.
    pub(crate) fn check(&self, ends: &Ends) -> Result<()> {
        if !self.twice.is_empty() {
            let few: Vec<_> = self.twice.iter().take(10).collect();
            return Err(format!("{} came too often: {few:?}", self.twice.len()));
        }
        let (missing, in_hand) = (self.missing.len(), ends.pending + ends.in_hand);
        if missing > in_hand {
            let few: Vec<_> = self.missing.iter().take(10).collect();
            return Err(format!(
                "{missing} are lost, kills explain {in_hand}: {few:?}"
            ));
        }
        Ok(())
    }
}

/// Within which time after it was handed over an element may come again because of a kill. Long,
/// because a busy machine may hold up what ends its lease.
const HAND_OVER: Duration = Duration::from_secs(2);
const NO_PANIC: &str = "nothing panics while this is locked";
