//! What all consumers of a row did.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard},
};

use crate::NO_PANIC;

#[derive(Default)]
pub(crate) struct Ledger(Mutex<Notes>);

#[derive(Default)]
pub(crate) struct Notes {
    pub(crate) handlings: Vec<Handling>,
    /// When each process asked last.
    asked: HashMap<usize, u64>,
    /// What each process works on, or worked on last: its place in `handlings`.
    present: HashMap<usize, usize>,
    /// Lines that no consumer should say.
    pub(crate) strange: Vec<String>,
}

/// One process with one element. Times are unix microseconds.
#[derive(Clone, Debug)]
pub(crate) struct Handling {
    pub(crate) element: String,
    pub(crate) fence: u64,
    pub(crate) asked: u64,
    pub(crate) began: u64,
    /// When its work was done.
    pub(crate) handled: Option<u64>,
    pub(crate) end: Option<End>,
    /// Whether the store refused its write.
    pub(crate) is_refused: bool,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum End {
    Acked,
    Nacked,
    Late,
    Unclear,
}

impl Ledger {
    pub(crate) fn notes(&self) -> MutexGuard<'_, Notes> {
        self.0.lock().expect(NO_PANIC)
    }

    /// Notes a line of a process.
    pub(crate) fn note(&self, process: usize, at: &str, said: &str) {
        let mut notes = self.notes();
        let understood = at.parse().is_ok_and(|at| notes.note(process, at, said));
        if !understood {
            notes.strange.push(said.to_owned());
        }
    }

    pub(crate) fn misunderstood(&self, line: &str) {
        self.notes().strange.push(line.to_owned());
    }
}

impl Notes {
    /// How many different elements were handled.
    pub(crate) fn handled(&self) -> usize {
        self.times().len()
    }

    /// How often an element was handled again.
    pub(crate) fn again(&self) -> usize {
        self.times().values().map(|times| times - 1).sum()
    }

    /// How many elements were handled in this time.
    pub(crate) fn handled_within(&self, from: u64, to: u64) -> usize {
        let times = self.handlings.iter().filter_map(|it| it.handled);
        times.filter(|at| (from..=to).contains(at)).count()
    }

    pub(crate) fn ended(&self, end: &End) -> usize {
        let ends = self.handlings.iter().filter_map(|it| it.end.as_ref());
        ends.filter(|it| *it == end).count()
    }

    /// True if this process works on an element.
    pub(crate) fn is_busy(&self, process: usize) -> bool {
        let present = self.present.get(&process).map(|it| &self.handlings[*it]);
        present.is_some_and(|it| it.handled.is_none() && it.end.is_none())
    }

    fn times(&self) -> HashMap<&str, usize> {
        let mut times = HashMap::new();
        for handling in self.handlings.iter().filter(|it| it.handled.is_some()) {
            *times.entry(handling.element.as_str()).or_default() += 1;
        }
        times
    }

    /// False if the line makes no sense.
    fn note(&mut self, process: usize, at: u64, said: &str) -> bool {
        let words: Vec<&str> = said.split(' ').collect();
        if words[..] == ["asked"] {
            self.asked.insert(process, at);
            return true;
        }
        if let ["began", element, fence] = words[..] {
            return self.begin(process, at, element, fence);
        }
        let present = self.present.get(&process).copied();
        let Some(present) = present.and_then(|it| self.handlings.get_mut(it)) else {
            return false;
        };
        match words[0] {
            "handled" => present.handled = Some(at),
            "wrote" => {}
            "refused" => present.is_refused = true,
            "acked" => present.end = Some(End::Acked),
            "nacked" => present.end = Some(End::Nacked),
            "late" => present.end = Some(End::Late),
            "unclear" => present.end = Some(End::Unclear),
            _ => return false,
        }
        true
    }

    fn begin(&mut self, process: usize, at: u64, element: &str, fence: &str) -> bool {
        let (Some(&asked), Ok(fence)) = (self.asked.get(&process), fence.parse()) else {
            return false;
        };
        self.present.insert(process, self.handlings.len());
        self.handlings.push(Handling {
            element: element.to_owned(),
            fence,
            asked,
            began: at,
            handled: None,
            end: None,
            is_refused: false,
        });
        true
    }
}
