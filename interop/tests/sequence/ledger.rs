//! The books of a sequence: what became of every element.

use std::collections::{BTreeMap, BTreeSet};

use redisson_delayed_queue::Ticket;

use crate::operation::{Done, Pick};

/// The books of one sequence. No two elements are pending that have the same value.
#[derive(Default)]
pub(crate) struct Ledger {
    offered: Vec<Offered>,
    /// How often a value left the queue, or was found in it in the end.
    found: BTreeMap<String, usize>,
    /// Values that a clearing has removed, if nothing else has.
    cleared: BTreeSet<String>,
}

/// An element that was offered.
#[derive(Clone, Debug)]
pub(crate) struct Offered {
    pub(crate) value: String,
    /// None if Java offered it.
    pub(crate) ticket: Option<Ticket>,
}

impl Ledger {
    /// Every element so far.
    pub(crate) fn offered(&self) -> &[Offered] {
        &self.offered
    }

    /// Enters what a call did. `pending` was there before it, and `meanwhile` is what the other
    /// language may have offered at the same time.
    pub(crate) fn note(&mut self, done: Done, pick: &Pick, pending: &[String], meanwhile: &Pick) {
        match done {
            Done::Cleared => {
                self.cleared.extend(pending.iter().cloned());
                self.cleared.extend(meanwhile.offerable());
            }
            Done::Nothing => {}
            Done::Offered(ticket) => self.offered.push(Offered {
                value: pick.fresh.clone(),
                ticket,
            }),
            Done::OfferedAll(all) => {
                let offered = all.into_iter().map(|(value, ticket)| Offered {
                    value,
                    ticket: Some(ticket),
                });
                self.offered.extend(offered);
            }
            Done::Removed => {
                let known = pick.known.as_ref().expect("what was removed was known");
                self.gone(known.value.clone());
            }
            Done::Replaced(old, ticket) => {
                self.gone(old);
                self.offered.push(Offered {
                    value: pick.fresh.clone(),
                    ticket: Some(ticket),
                });
            }
            Done::Taken(values) => values.into_iter().for_each(|value| self.gone(value)),
        }
    }

    /// Enters that a value has left the queue, or is found in it in the end.
    pub(crate) fn gone(&mut self, value: String) {
        *self.found.entry(value).or_default() += 1;
    }

    /// The elements that were lost, came twice, or were never offered.
    pub(crate) fn wrong(&self) -> Vec<String> {
        let mut found = self.found.clone();
        let mut offered: BTreeMap<&String, usize> = BTreeMap::new();
        for Offered { value, .. } in &self.offered {
            *offered.entry(value).or_default() += 1;
        }
        let mut wrong = Vec::new();
        for (value, offers) in offered {
            let count = found.remove(value).unwrap_or(0);
            if count != offers && !(count < offers && self.cleared.contains(value)) {
                wrong.push(format!("{value}: {offers} offers, {count} times"));
            }
        }
        let strange = found.into_keys();
        wrong.extend(strange.map(|value| format!("{value}: never offered")));
        wrong
    }
}
