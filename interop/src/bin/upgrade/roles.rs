//! What the processes are asked to do: threads that each make one call after the other.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering::Relaxed},
};

use interop::caller::Outcome;
use rand::{SeedableRng, rngs::StdRng};

use crate::{fleet::Fleet, ledger::Ledger};

pub(crate) mod consumer;
pub(crate) mod looker;
pub(crate) mod producer;
pub(crate) mod stirrer;

/// The delayed queue, and one that elements are moved to and from.
pub(crate) const QUEUE: &str = "orders";
pub(crate) const OTHER: &str = "others";

/// What every role needs: any process for each call, chance, and the ledger.
pub(crate) struct Part<'a> {
    pub(crate) number: u64,
    pub(crate) fleet: &'a Fleet<'a>,
    pub(crate) ledger: &'a Ledger,
    pub(crate) random: StdRng,
    done: Arc<AtomicBool>,
}

/// The outcome of a call.
pub(crate) enum Answer {
    /// It returned these tokens, from the process of this number.
    Tokens(Vec<String>, usize),
    /// It changed nothing.
    Nothing,
    /// It may have taken effect.
    Unknown,
}

impl<'a> Part<'a> {
    pub(crate) fn new(
        number: u64,
        seed: u64,
        fleet: &'a Fleet<'a>,
        ledger: &'a Ledger,
        done: &Arc<AtomicBool>,
    ) -> Self {
        Self {
            number,
            fleet,
            ledger,
            random: StdRng::seed_from_u64(seed.wrapping_add(number)),
            done: Arc::clone(done),
        }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.done.load(Relaxed)
    }

    /// Makes a call that returns no elements.
    pub(crate) fn call(&mut self, call: &str) -> Answer {
        self.take(call, 0)
    }

    /// Makes a call that may return up to `hand` elements.
    pub(crate) fn take(&mut self, call: &str, hand: usize) -> Answer {
        match self.fleet.call(call, hand, &mut self.random) {
            (Outcome::Ok(tokens), process) => Answer::Tokens(tokens, process),
            (Outcome::Failed { sure: false, .. } | Outcome::Died, _) => Answer::Unknown,
            _ => Answer::Nothing,
        }
    }

    /// Repeats a call until it returns.
    pub(crate) fn insist(&mut self, call: &str) -> Vec<String> {
        loop {
            if let Answer::Tokens(tokens, _) = self.call(call) {
                return tokens;
            }
        }
    }
}
