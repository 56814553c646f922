//! What the ledger shows in the end, and whether the fault may cost that.

use std::time::{Duration, Instant};

use crate::{
    Result,
    faults::Twice,
    ledger::{Account, Ledger, Notes},
    stall::{self, Event},
};

#[derive(Debug, Default)]
pub(crate) struct Figures {
    pub(crate) offered: usize,
    pub(crate) acknowledged: usize,
    /// Of those acknowledged, which no fault may lose.
    pub(crate) durable: usize,
    pub(crate) delivered: usize,
    /// Durable elements that did not come.
    pub(crate) lost: Vec<String>,
    /// Those that a process may have had in hand when it was killed. They are not among the lost.
    pub(crate) in_hand: usize,
    /// Acknowledged elements that did not come and that a failover may lose.
    pub(crate) unconfirmed: usize,
    /// How often an element came again.
    pub(crate) again: usize,
    /// As `again`, without those that the fault may cost.
    pub(crate) unexplained: usize,
    pub(crate) early: Vec<String>,
    /// The longest time after the fault in which something was due and nothing came.
    pub(crate) stall: Duration,
    /// The longest time after the fault in which no offer was acknowledged, less the pause of a
    /// producer.
    pub(crate) offer_stall: Duration,
    /// The longest time from an element's due time, or the end of the fault, to its delivery.
    pub(crate) latest: Duration,
    pub(crate) rounds: usize,
    pub(crate) kills: usize,
}

impl Figures {
    /// `pause` is between two offers of a caller.
    pub(crate) fn of(ledger: &Ledger, twice: Twice, pause: Duration) -> Self {
        let notes = ledger.notes();
        let end = notes.load_ended.unwrap_or_else(Instant::now);
        let mut figures = Self {
            offered: notes.accounts.len(),
            rounds: notes.rounds,
            kills: notes.kills.len(),
            ..Self::default()
        };
        let mut deliveries = Vec::new();
        let mut acknowledgements = Vec::new();
        for (value, account) in &notes.accounts {
            figures.count(value, account, &notes);
            figures.count_again(account, twice, &notes);
            let Some(acknowledged) = account.acknowledged else {
                continue;
            };
            acknowledgements.push(acknowledged);
            if let Some(&happened) = account.came.first() {
                let due = notes.due(account, acknowledged, happened);
                let late = happened.saturating_duration_since(notes.healed_after(due, happened));
                figures.latest = figures.latest.max(late);
                deliveries.push(Event { due, happened });
            }
        }
        figures.count_in_hand(&notes);
        if let Twice::PerKill(most) = twice {
            figures.unexplained = figures.again.saturating_sub(most * figures.kills);
        }
        figures.stall = stall::longest(deliveries, &notes.episodes, end);
        // Producers always have something to offer.
        let always = acknowledgements.iter().min().copied().unwrap_or(end);
        let offers = acknowledgements.into_iter().map(|happened| Event {
            due: always,
            happened,
        });
        let offer_stall = stall::longest(offers.collect(), &notes.episodes, end);
        figures.offer_stall = offer_stall.saturating_sub(pause);
        figures
    }

    fn count(&mut self, value: &str, account: &Account, notes: &Notes) {
        self.delivered += usize::from(!account.came.is_empty());
        self.again += account.came.len().saturating_sub(1);
        let is_lost = account.came.is_empty();
        if account.acknowledged.is_some() {
            self.acknowledged += 1;
            self.unconfirmed += usize::from(is_lost && !account.is_durable);
        }
        if account.is_durable {
            self.durable += 1;
            if is_lost {
                self.lost.push(value.to_owned());
            }
        }
        for came in &account.came {
            // The earliest that the master can have dated it, by the latest that it can show now.
            let due = account.sent + account.delay;
            let (then, now) = (notes.clock(account.sent), notes.clock(*came));
            if shifted(*came, now - then) + UNIT <= due {
                self.early.push(format!("{value} by {:?}", due - *came));
            }
        }
    }

    /// A process that is killed may have taken an element that had just become due, and not said so
    /// yet: one for each kill.
    fn count_in_hand(&mut self, notes: &Notes) {
        let mut kills = notes.kills.clone();
        self.lost.retain(|value| {
            let account = &notes.accounts[value];
            let due = account.acknowledged.map(|at| at + account.delay);
            let kill = kills.iter().position(|kill| {
                due.and_then(|due| kill.checked_duration_since(due))
                    .is_some_and(|since| since <= JUST)
            });
            kill.map(|kill| kills.swap_remove(kill)).is_none()
        });
        self.in_hand = notes.kills.len() - kills.len();
    }

    fn count_again(&mut self, account: &Account, twice: Twice, notes: &Notes) {
        let Twice::Unheard = twice else {
            self.unexplained += account.came.len().saturating_sub(1);
            return;
        };
        let before = account.came.iter().rev().skip(1);
        let unexplained = before.filter(|came| !notes.may_be_unheard(**came));
        self.unexplained += unexplained.count();
    }

    pub(crate) fn check(&self, longest_stall: Duration) -> Result<()> {
        let mut wrong = Vec::new();
        if !self.lost.is_empty() {
            wrong.push(format!("{} lost: {:?}", self.lost.len(), few(&self.lost)));
        }
        if !self.early.is_empty() {
            wrong.push(format!(
                "{} early: {:?}",
                self.early.len(),
                few(&self.early)
            ));
        }
        if self.unexplained > 0 {
            wrong.push(format!("{} twice without a cause", self.unexplained));
        }
        if self.stall > longest_stall {
            wrong.push(format!("a stall of {:.2?}", self.stall));
        }
        if self.offer_stall > longest_stall {
            wrong.push(format!("no offer for {:.2?}", self.offer_stall));
        }
        if self.delivered == 0 {
            wrong.push("nothing came".to_owned());
        }
        match wrong.is_empty() {
            true => Ok(()),
            false => Err(wrong.join("; ")),
        }
    }
}

impl Notes {
    /// When the element was due at the latest, by the clock of the master that delivered it.
    fn due(&self, account: &Account, acknowledged: Instant, came: Instant) -> Instant {
        let ahead = self.clock(came) - self.clock(acknowledged);
        let due = shifted(acknowledged + account.delay, -ahead);
        let changes = self.clocks.iter().map(|(since, _)| *since);
        let changed = changes.filter(|it| acknowledged < *it && *it <= came).max();
        changed.map_or(due, |changed| changed.max(due))
    }

    /// The later of `due` and the end of the last fault that began before the element came.
    fn healed_after(&self, due: Instant, came: Instant) -> Instant {
        let begun = self.episodes.iter().filter(|it| it.begun <= came);
        let last = begun.map(|it| it.healed).max();
        last.map_or(due, |last| last.max(due))
    }

    /// By how many seconds the clock of the master was ahead.
    fn clock(&self, at: Instant) -> i64 {
        let since = self.clocks.iter().rev().find(|(since, _)| *since <= at);
        since.map_or(0, |(_, seconds)| *seconds)
    }

    /// True if the new master may not have heard of a delivery.
    fn may_be_unheard(&self, came: Instant) -> bool {
        self.episodes
            .iter()
            .any(|it| it.begun <= came + UNHEARD && came <= it.settled)
    }
}

fn shifted(at: Instant, seconds: i64) -> Instant {
    let by = Duration::from_secs(seconds.unsigned_abs());
    match seconds >= 0 {
        true => at + by,
        false => at.checked_sub(by).unwrap_or(at),
    }
}

fn few(values: &[String]) -> &[String] {
    &values[..values.len().min(5)]
}

/// Of due times in Redis.
const UNIT: Duration = Duration::from_millis(1);
/// How long before a kill an element may have become due that the process had in hand.
const JUST: Duration = Duration::from_secs(1);
/// How long before a failover a delivery may not have reached the replicas.
const UNHEARD: Duration = Duration::from_secs(1);
