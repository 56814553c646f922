//! What became of the offers of one failover.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};

use interop::peer::{Peer, Reply};
use testbed::eventually;

use crate::stage::now_us;

/// All offers of a producer, and what its consumer took.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// Held during an offer.
    offering: Mutex<()>,
    acknowledged: AtomicU64,
    /// Set when there are offers enough, and when the last one has been made.
    is_enough: AtomicBool,
    has_offered: AtomicBool,
    offers: Mutex<HashMap<String, Offer>>,
    /// When each was in the consumer's hand, in microseconds since the Unix epoch.
    taken: Mutex<Vec<(String, u64)>>,
    polls_failed: AtomicU64,
    /// When the failover began and when the topology was whole again. 0 before that.
    pub(crate) failed_us: AtomicU64,
    pub(crate) healed_us: AtomicU64,
    /// True if another server replaced a master that had acknowledged offers of the failover.
    pub(crate) has_stale_master: AtomicBool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Offer {
    is_acknowledged: bool,
    /// Whether it was made during the failover.
    is_during: bool,
    /// The bounds of its due time, for only its producer knows when it read the clock.
    due_us: (u64, u64),
}

impl Ledger {
    pub(crate) fn produce(&self, peer: &mut Peer, name: &str) {
        for number in 0_u64.. {
            let delay = Duration::from_millis(number * 37 % 1_000);
            let value = format!("offer-{number}");
            let offer = format!("offer {name} {} ={value}", delay.as_millis());
            let guard = self.pause_offers();
            let before = now_us();
            let is_acknowledged = matches!(peer.send(&offer), Reply::Ok(_));
            let after = now_us();
            drop(guard);
            let is_during = self.failed_us.load(Relaxed) > 0 && self.healed_us.load(Relaxed) == 0;
            let delay_us = delay.as_micros() as u64;
            let offer = Offer {
                is_acknowledged,
                is_during,
                // Java's clock has milliseconds.
                due_us: (before / 1_000 * 1_000 + delay_us, after + delay_us),
            };
            self.offers().insert(value, offer);
            self.acknowledged.fetch_add(is_acknowledged.into(), Relaxed);
            if self.is_enough.load(Relaxed) {
                break;
            }
            thread::sleep(PACE);
        }
        self.has_offered.store(true, Relaxed);
    }

    /// Until each element has come that must. Others may come for a while after that.
    pub(crate) fn consume(&self, peer: &mut Peer, name: &str) {
        let mut last = Instant::now();
        loop {
            let patience = if !self.has_offered.load(Relaxed) || !self.lost().is_empty() {
                PATIENCE
            } else if self.missing(|it| it.is_acknowledged).is_empty() {
                return;
            } else {
                QUIET
            };
            if last.elapsed() > patience {
                return;
            }
            match peer.send(&format!("poll {name} 1000")) {
                Reply::Ok(taken) => {
                    let (micros, value) = taken.split_once(' ').expect("MICROS VALUE");
                    let value = interop::value::decode(value).expect("a VALUE");
                    let value = String::from_utf8(value).expect("what was offered");
                    self.taken().push((value, micros.parse().expect("MICROS")));
                    last = Instant::now();
                }
                Reply::Nil => {}
                Reply::Err(message) => {
                    println!("{name}: {message}");
                    self.polls_failed.fetch_add(1, Relaxed);
                }
            }
        }
    }

    /// Holds offers back as long as the guard lives.
    pub(crate) fn pause_offers(&self) -> MutexGuard<'_, ()> {
        self.offering.lock().expect(NO_PANIC)
    }

    /// Ends the offers when the guard is dropped, also when a test fails.
    pub(crate) fn end_offers_on_drop(&self) -> impl Drop {
        struct End<'a>(&'a AtomicBool);
        impl Drop for End<'_> {
            fn drop(&mut self) {
                self.0.store(true, Relaxed);
            }
        }
        End(&self.is_enough)
    }

    /// Waits for so many more acknowledged offers.
    pub(crate) fn await_offers(&self, count: u64) {
        let goal = self.acknowledged.load(Relaxed) + count;
        eventually("offers are acknowledged", || {
            self.acknowledged.load(Relaxed) >= goal
        });
    }

    /// Acknowledged elements that have not come. Leaves out those that a replaced master may have lost.
    pub(crate) fn lost(&self) -> Vec<String> {
        let has_stale_master = self.has_stale_master.load(Relaxed);
        self.missing(|it| it.is_acknowledged && !(it.is_during && has_stale_master))
    }

    /// The elements of this kind that have not come.
    fn missing(&self, kind: impl Fn(&Offer) -> bool) -> Vec<String> {
        let mut missing = self.offers().clone();
        missing.retain(|_, offer| kind(offer));
        for (value, _) in self.taken().iter() {
            missing.remove(value);
        }
        missing.into_keys().collect()
    }

    /// How often a call to take an element failed.
    pub(crate) fn failed_polls(&self) -> usize {
        self.polls_failed.load(Relaxed) as usize
    }

    pub(crate) fn early(&self) -> Vec<String> {
        let (mut early, offers) = (self.taken().clone(), self.offers());
        early.retain(|(value, micros)| *micros < offers[value].due_us.0);
        early.into_iter().map(|(value, _)| value).collect()
    }

    /// The elements that came again although they were taken before the failover.
    pub(crate) fn wrongly_twice(&self) -> Vec<String> {
        let failed_us = self.failed_us.load(Relaxed);
        let (firsts, mut again) = (self.firsts(), self.again());
        again.retain(|value| firsts[value] < failed_us);
        again
    }

    /// When each element came first.
    fn firsts(&self) -> HashMap<String, u64> {
        self.taken().iter().rev().cloned().collect()
    }

    /// The elements that came again, as often as they did.
    fn again(&self) -> Vec<String> {
        let mut seen = HashSet::new();
        let taken = self.taken();
        let again = taken.iter().filter(|(value, _)| !seen.insert(value));
        again.map(|(value, _)| value.clone()).collect()
    }

    /// How late the latest element came, after it was due and the topology was whole.
    pub(crate) fn stall(&self) -> Duration {
        let healed_us = self.healed_us.load(Relaxed);
        let (firsts, offers) = (self.firsts(), self.offers());
        let late = |(value, micros): (&String, &u64)| {
            micros.saturating_sub(offers[value].due_us.1.max(healed_us))
        };
        Duration::from_micros(firsts.iter().map(late).max().unwrap_or_default())
    }

    pub(crate) fn report(&self) -> String {
        let offers = self.offers().clone();
        let during = offers
            .values()
            .filter(|it| it.is_acknowledged && it.is_during);
        let lost = self.missing(|it| it.is_acknowledged).len();
        let delivered = self.taken().len();
        format!(
            "{} offered, {} acknowledged, {} of them during it, {lost} lost, \
             {delivered} delivered, {} twice, {} early, {} polls failed, longest stall {:?}",
            offers.len(),
            self.acknowledged.load(Relaxed),
            during.count(),
            self.again().len(),
            self.early().len(),
            self.failed_polls(),
            self.stall()
        )
    }

    fn offers(&self) -> MutexGuard<'_, HashMap<String, Offer>> {
        self.offers.lock().expect(NO_PANIC)
    }

    fn taken(&self) -> MutexGuard<'_, Vec<(String, u64)>> {
        self.taken.lock().expect(NO_PANIC)
    }
}

/// How long it is from one offer to the next.
const PACE: Duration = Duration::from_millis(20);
/// How long the elements that must come may stay away.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long the others may.
const QUIET: Duration = Duration::from_secs(3);
const NO_PANIC: &str = "nobody panics with it";
