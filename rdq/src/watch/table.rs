//! Turns surveys of all queues into what the screen shows.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::column::Column;
use super::flow::{Flow, Meter};
use super::lateness::{LATE_MS, overdue_ms};
use super::survey::Survey;
use super::trouble::Trouble;
use crate::failure::Failure;
use crate::queue::stats::{Last, Stats};
use crate::screen::{brief, number};

/// Remembers the surveys of all queues, and how the user wants to see them. It has no clock: callers
/// say what time it is.
#[derive(Debug)]
pub(crate) struct Table {
    rows: BTreeMap<String, Row>,
    sort: Column,
    is_reversed: bool,
    filter: String,
    /// True while the user types the filter.
    is_typing: bool,
    selected: Option<String>,
    /// False until the queues were found for the first time.
    is_found: bool,
    trouble: Trouble,
}

/// Remembers what the surveys said about one queue.
#[derive(Debug, Default)]
pub(crate) struct Row {
    pub(crate) stats: Option<Stats>,
    pub(crate) error: Option<String>,
    pub(crate) flow: Option<Flow>,
    meter: Meter,
}

/// Holds what the screen shows of all queues.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listing {
    /// `None` while it works.
    pub(crate) trouble: Option<String>,
    /// False until the queues were found for the first time.
    pub(crate) is_found: bool,
    pub(crate) sort: Column,
    pub(crate) is_reversed: bool,
    pub(crate) filter: String,
    pub(crate) is_typing: bool,
    pub(crate) lines: Vec<Line>,
    /// The index of the line that the user selected.
    pub(crate) selected: Option<usize>,
    /// Counts all queues, including those that the filter hides.
    pub(crate) all: usize,
    /// Counts the pending elements of all queues.
    pub(crate) pending: u64,
    /// Adds up how many elements move a second.
    pub(crate) moved: f64,
}

/// Holds what the screen shows of one queue.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Line {
    pub(crate) queue: String,
    /// Holds a text for each of [`Column::ALL`].
    pub(crate) cells: Vec<String>,
    pub(crate) severity: Severity,
}

/// Says how urgently a queue needs an operator.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Severity {
    #[default]
    None,
    Note,
    Bad,
}

impl Table {
    pub(crate) fn new() -> Self {
        Self {
            rows: BTreeMap::new(),
            sort: Column::Pending,
            is_reversed: false,
            filter: String::new(),
            is_typing: false,
            selected: None,
            is_found: false,
            trouble: Trouble::default(),
        }
    }

    /// Takes in the names of all queues. Forgets the queues that are gone.
    pub(crate) fn find(&mut self, names: BTreeSet<String>) {
        self.is_found = true;
        self.rows.retain(|name, _| names.contains(name));
        for name in names {
            self.rows.entry(name).or_default();
        }
    }

    /// Returns the queues to count, each with what the last count found.
    pub(crate) fn queues(&self) -> Vec<(String, Option<Last>)> {
        let queues = self.rows.iter();
        queues
            .map(|(name, row)| (name.clone(), row.meter.last()))
            .collect()
    }

    pub(crate) fn note(&mut self, survey: Survey) {
        self.trouble.end();
        for (name, counted) in survey {
            let Some(row) = self.rows.get_mut(&name) else {
                continue;
            };
            match counted {
                Ok(stats) => {
                    row.flow = row.meter.note(&stats, 0);
                    row.error = None;
                    row.stats = Some(stats);
                }
                Err(error) => row.error = Some(error),
            }
        }
    }

    /// Takes in a failure to read.
    pub(crate) fn fail(&mut self, failure: &Failure, now: Instant) {
        self.trouble.begin(failure, now);
        self.forget();
    }

    /// Begins to measure rates anew: nothing was read for a while.
    pub(crate) fn forget(&mut self) {
        self.rows.values_mut().for_each(|row| row.meter.forget());
    }

    /// Sorts by the column that comes `by` places later.
    pub(crate) fn sort_by(&mut self, by: isize) {
        let place = Column::ALL.iter().position(|it| *it == self.sort);
        let place = place.unwrap_or(0) as isize + by;
        self.sort = Column::ALL[place.rem_euclid(Column::ALL.len() as isize) as usize];
        self.is_reversed = false;
    }

    pub(crate) fn reverse(&mut self) {
        self.is_reversed = !self.is_reversed;
    }

    pub(crate) fn is_typing(&self) -> bool {
        self.is_typing
    }

    /// Begins to type the filter, or ends that.
    pub(crate) fn set_typing(&mut self, is_typing: bool) {
        self.is_typing = is_typing;
    }

    pub(crate) fn has_filter(&self) -> bool {
        !self.filter.is_empty()
    }

    /// Returns the text that names must contain, so that callers can change it.
    pub(crate) fn filter_mut(&mut self) -> &mut String {
        &mut self.filter
    }

    /// Selects the line that comes `by` places later.
    pub(crate) fn select(&mut self, by: isize) {
        let names = self.names();
        let last = names.len() as isize - 1;
        let at = self.selected_in(&names).unwrap_or(0) as isize;
        let place = at.saturating_add(by).min(last).max(0);
        self.selected = names.get(place as usize).map(|it| (*it).to_owned());
    }

    /// Returns the queue that the user selected.
    pub(crate) fn selected(&self) -> Option<String> {
        let names = self.names();
        let place = self.selected_in(&names)?;
        names.get(place).map(|it| (*it).to_owned())
    }

    /// Returns what the screen must show `now`.
    pub(crate) fn listing(&self, now: Instant) -> Listing {
        let names = self.names();
        let stats = self.rows.values().filter_map(|row| row.stats.as_ref());
        let flows = self.rows.values().filter_map(|row| row.flow);
        Listing {
            trouble: self.trouble.text(now),
            is_found: self.is_found,
            sort: self.sort,
            is_reversed: self.is_reversed,
            filter: self.filter.clone(),
            is_typing: self.is_typing,
            selected: self.selected_in(&names),
            lines: names.iter().map(|name| self.line(name)).collect(),
            all: self.rows.len(),
            pending: stats.map(|it| it.pending).sum(),
            moved: flows.map(|it| it.moved).sum(),
        }
    }

    fn line(&self, name: &str) -> Line {
        let row = &self.rows[name];
        let (severity, note) = row.note();
        let cell = |column: &Column| match column {
            Column::Queue => name.to_owned(),
            Column::Note => note.clone(),
            column => column.text(row),
        };
        Line {
            queue: name.to_owned(),
            cells: Column::ALL.iter().map(cell).collect(),
            severity,
        }
    }

    /// Returns the names that the filter lets through, in order.
    fn names(&self) -> Vec<&str> {
        let filter = self.filter.to_lowercase();
        let rows = self.rows.iter();
        let mut rows: Vec<_> = rows
            .filter(|(name, _)| name.to_lowercase().contains(&filter))
            .collect();
        rows.sort_by(|a, b| {
            let order = match self.sort {
                // The names are sorted already.
                Column::Queue => Ordering::Equal,
                // What needs an operator most comes first.
                Column::Note => b.1.note().cmp(&a.1.note()),
                // The soonest comes first, and what never comes last.
                Column::Next => a.1.next_ms().total_cmp(&b.1.next_ms()),
                column => column.number(b.1).total_cmp(&column.number(a.1)),
            };
            order.then_with(|| a.0.cmp(b.0))
        });
        if self.is_reversed {
            rows.reverse();
        }
        rows.into_iter().map(|(name, _)| &**name).collect()
    }

    /// Returns the place of the selected queue, or the first place if that queue is gone.
    fn selected_in(&self, names: &[&str]) -> Option<usize> {
        let selected = self.selected.as_deref();
        let place = names.iter().position(|it| Some(*it) == selected);
        place.or((!names.is_empty()).then_some(0))
    }
}

impl Row {
    /// Returns when the head is due, in Unix ms.
    fn next_ms(&self) -> f64 {
        let due = self.stats.as_ref().and_then(|it| it.next_due_ms);
        due.unwrap_or(f64::INFINITY)
    }

    /// Returns what an operator should know.
    fn note(&self) -> (Severity, String) {
        if let Some(error) = &self.error {
            return (Severity::Bad, error.clone());
        }
        let Some(stats) = &self.stats else {
            return (Severity::None, String::new());
        };
        let mut severity = Severity::None;
        let mut parts = Vec::new();
        let mut say = |how, text: String| {
            severity = severity.max(how);
            parts.push(text);
        };
        let late_ms = overdue_ms(stats);
        if stats.paused {
            say(Severity::Note, "paused".to_owned());
        } else if stats.overdue > 0 && stats.subscribers == 0 {
            say(Severity::Bad, "stalled, nobody listens".to_owned());
        } else if late_ms > LATE_MS {
            say(
                Severity::Bad,
                format!("late {}", brief(Duration::from_millis(late_ms))),
            );
        } else if stats.pending > 0 && stats.subscribers == 0 {
            say(Severity::Note, "nobody listens".to_owned());
        }
        if let Some(interval) = stats.rate_interval_us {
            let rate = number::rate(1e6 / interval as f64);
            say(Severity::Note, format!("limit {rate}/s"));
        }
        if let Some(unleased @ 1..) = stats.unleased {
            let count = number::short(unleased);
            say(Severity::Bad, format!("{count} without leases"));
        }
        if stats.dead > 0 {
            say(
                Severity::Note,
                format!("{} dead", number::short(stats.dead)),
            );
        }
        if stats.quarantined > 0 {
            let count = number::short(stats.quarantined);
            say(Severity::Note, format!("{count} quarantined"));
        }
        (severity, parts.join(", "))
    }
}

#[cfg(test)]
mod tests;
