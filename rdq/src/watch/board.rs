//! Turns the readings of one queue into what the screen shows.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use redisson_delayed_queue::Move;

use super::flow::{Flow, Meter};
use super::lateness::{LATE_MS, Lateness, overdue_ms};
use super::listening::Heard;
use super::reading::{ProgramList, Reading};
use super::trouble::Trouble;
use super::upcoming::Upcoming;
use crate::failure::Failure;
use crate::queue::programs::Kind;
use crate::queue::stats::{AHEAD, Last, Stats};
use crate::screen::{brief, number, relative};

/// Remembers the readings of one queue. It has no clock: callers say what time it is.
#[derive(Debug)]
pub(crate) struct Watched {
    queue: String,
    latest: Option<Stats>,
    rust_listeners: u64,
    upcoming: Vec<Upcoming>,
    programs: Option<ProgramList>,
    meter: Meter,
    /// Holds the latest one last.
    flows: VecDeque<Flow>,
    lateness: Lateness,
    heard: Heard,
    trouble: Trouble,
}

/// Holds what the screen shows of one queue.
#[derive(Clone, Debug, Default)]
pub(crate) struct Board {
    pub(crate) queue: String,
    /// `None` while it works.
    pub(crate) trouble: Option<String>,
    /// False until the first reading.
    pub(crate) is_known: bool,
    pub(crate) notices: Vec<Notice>,
    pub(crate) counts: Vec<Count>,
    pub(crate) ahead: Vec<(String, u64)>,
    pub(crate) rates: Vec<Rate>,
    pub(crate) late_ms: u64,
    pub(crate) latest_ms: u64,
    pub(crate) late_series: Vec<u64>,
    /// Names those who hear of new elements, each with the number of its connections.
    pub(crate) listeners: Vec<(&'static str, String)>,
    /// Says of each what it does and what its name is.
    pub(crate) movers: Vec<(&'static str, String)>,
    pub(crate) programs: Vec<String>,
    pub(crate) upcoming: Vec<Next>,
}

/// Warns an operator.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Notice {
    pub(crate) is_bad: bool,
    pub(crate) text: String,
}

/// Counts elements of one kind.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Count {
    pub(crate) label: &'static str,
    pub(crate) number: u64,
    /// True if the count should be 0.
    pub(crate) is_bad: bool,
}

/// Says how many elements come or go a second, now and before.
#[derive(Clone, Debug)]
pub(crate) struct Rate {
    pub(crate) label: &'static str,
    pub(crate) now: Option<f64>,
    pub(crate) series: Vec<u64>,
}

/// Describes an element that becomes due.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Next {
    pub(crate) due: String,
    pub(crate) is_overdue: bool,
    pub(crate) value: String,
}

impl Watched {
    /// How many rates are remembered for plots.
    const FLOWS: usize = 240;

    pub(crate) fn new(queue: String) -> Self {
        Self {
            queue,
            latest: None,
            rust_listeners: 0,
            upcoming: Vec::new(),
            programs: None,
            meter: Meter::default(),
            flows: VecDeque::new(),
            lateness: Lateness::default(),
            heard: Heard::default(),
            trouble: Trouble::default(),
        }
    }

    /// Returns what the next reading needs of the last.
    pub(crate) fn last(&self) -> Option<Last> {
        self.meter.last()
    }

    /// Takes in a reading.
    pub(crate) fn note(&mut self, reading: Reading) {
        self.trouble.end();
        let heard = self.heard.take_count(reading.stats.at_ms);
        if let Some(flow) = self.meter.note(&reading.stats, heard) {
            self.flows.push_back(flow);
            let surplus = self.flows.len().saturating_sub(Self::FLOWS);
            self.flows.drain(..surplus);
        }
        self.lateness.note(&reading.stats);
        self.rust_listeners = reading.rust_listeners;
        if let Some(upcoming) = reading.upcoming {
            self.upcoming = upcoming;
        }
        if reading.programs.is_some() {
            self.programs = reading.programs;
        }
        self.latest = Some(reading.stats);
    }

    /// Takes in a failure to read.
    pub(crate) fn fail(&mut self, failure: &Failure, now: Instant) {
        self.trouble.begin(failure, now);
        self.forget();
    }

    /// Begins to measure rates anew: nothing was read for a while.
    pub(crate) fn forget(&mut self) {
        self.meter.forget();
        self.heard.forget();
    }

    /// Takes in what a client said about a move, or why nobody can be heard.
    pub(crate) fn hear(&mut self, heard: Result<&Move, String>, now: Instant) {
        match heard {
            Ok(moved) => self.heard.note(moved, now),
            Err(reason) => self.heard.cannot_hear(reason),
        }
    }

    /// Returns what the screen must show `now`.
    pub(crate) fn board(&self, now: Instant) -> Board {
        let mut board = Board {
            queue: self.queue.clone(),
            trouble: self.trouble.text(now),
            ..Board::default()
        };
        let Some(stats) = &self.latest else {
            return board;
        };
        board.is_known = true;
        board.notices = self.notices(stats);
        board.counts = counts(stats);
        board.ahead = ahead(stats);
        board.rates = self.rates();
        board.late_ms = overdue_ms(stats);
        board.latest_ms = self.lateness.most_ms();
        board.late_series = self.lateness.series();
        board.listeners = self.listeners(stats);
        board.movers = self.movers(now);
        board.programs = self.programs();
        // The first may have left since they were read.
        let head_ms = stats.next_due_ms.unwrap_or(f64::MAX);
        let upcoming = self
            .upcoming
            .iter()
            .filter(|it| it.due_ms as f64 >= head_ms);
        board.upcoming = upcoming.map(|it| next(it, stats.at_ms)).collect();
        board
    }

    fn notices(&self, stats: &Stats) -> Vec<Notice> {
        let mut notices = Vec::new();
        let mut say = |is_bad, text: String| notices.push(Notice { is_bad, text });
        let late_ms = overdue_ms(stats);
        if stats.paused {
            say(false, "paused: Rust clients deliver nothing".to_owned());
        } else if stats.overdue > 0 && stats.subscribers == 0 {
            say(
                true,
                "stalled: elements are due and nobody listens".to_owned(),
            );
        } else if late_ms > LATE_MS {
            let late = brief(Duration::from_millis(late_ms));
            say(true, format!("late: the head has been due for {late}"));
        } else if stats.pending > 0 && stats.subscribers == 0 {
            say(
                false,
                "nobody listens, so nobody will move what becomes due".to_owned(),
            );
        }
        if let (Some(interval), Some(burst)) = (stats.rate_interval_us, stats.rate_burst) {
            let rate = number::rate(1e6 / interval as f64);
            say(false, format!("limited to {rate}/s, {burst} at once"));
        }
        if stats.listed != stats.pending {
            let unlisted = stats.pending.saturating_sub(stats.listed);
            let ghosts = stats.listed.saturating_sub(stats.pending);
            match unlisted {
                0 => say(
                    true,
                    format!("{} more listed than pending", number::grouped(ghosts)),
                ),
                _ => say(false, format!("{} unlisted", number::grouped(unlisted))),
            }
        }
        if let Some(unleased @ 1..) = stats.unleased {
            let count = number::grouped(unleased);
            say(true, format!("{count} claimed without a lease"));
        }
        notices
    }

    fn rates(&self) -> Vec<Rate> {
        let rate = |label, of: fn(&Flow) -> f64| Rate {
            label,
            now: self.flows.back().map(of),
            // A plot has whole numbers.
            series: self.flows.iter().map(|it| (of(it) * 10.0) as u64).collect(),
        };
        vec![
            rate("offered", |it| it.offered),
            rate("moved", |it| it.moved),
            rate("taken", |it| it.taken),
        ]
    }

    fn listeners(&self, stats: &Stats) -> Vec<(&'static str, String)> {
        // This program listens to the channel of this crate, too, if it can hear.
        let ours = u64::from(self.heard.deaf().is_none());
        let rust = self.rust_listeners.saturating_sub(ours);
        // The names of connections tell more: this program may not listen yet.
        let rust = rust.max(self.rust_by_name(stats.subscribers));
        // Other dashboards listen to that channel, too, but not to Redisson's.
        let rust = rust.min(stats.subscribers);
        let others = stats.subscribers.saturating_sub(rust);
        vec![
            ("Rust clients", number::grouped(rust)),
            ("Java, others", number::grouped(others)),
        ]
    }

    /// Returns how many of so many listeners are Rust clients for certain: the server has fewer others.
    fn rust_by_name(&self, subscribers: u64) -> u64 {
        let Some(ProgramList::Programs(programs)) = &self.programs else {
            return 0;
        };
        let is_rust = |kind| kind == Kind::Rust;
        let rust = programs.iter().filter(|it| is_rust(it.kind)).count() as u64;
        let others = programs.len() as u64 - rust;
        subscribers.saturating_sub(others).min(rust)
    }

    fn movers(&self, now: Instant) -> Vec<(&'static str, String)> {
        let movers = self.heard.movers().enumerate().map(|(i, it)| {
            // The client that moved something last leads if it also takes. The others wait for it.
            let role = match (i, it.takes) {
                (0, true) => "leads",
                (0, false) => "moved last",
                _ => "moved before",
            };
            let ago = brief(now.saturating_duration_since(it.last));
            let count = number::grouped(it.moved);
            let name = it.name.get(..8).unwrap_or(&it.name);
            let text = format!("{name}  {ago} ago  {count} moved");
            (role, text)
        });
        let movers: Vec<_> = movers.collect();
        match (movers.is_empty(), self.heard.deaf()) {
            (false, _) => movers,
            (true, Some(reason)) => vec![("leads", format!("unknown: {reason}"))],
            (true, None) => vec![("leads", "no Rust client so far".to_owned())],
        }
    }

    fn programs(&self) -> Vec<String> {
        match &self.programs {
            None => Vec::new(),
            Some(ProgramList::TooMany) => vec!["too many connections to list".to_owned()],
            Some(ProgramList::Refused) => vec!["no right to CLIENT LIST".to_owned()],
            Some(ProgramList::Programs(programs)) => {
                // Rust clients come first.
                let mut counts = BTreeMap::new();
                for program in programs {
                    let place = (program.kind, program.title());
                    *counts.entry(place).or_insert(0) += 1;
                }
                let shown = |((_, title), count)| format!("{title} x{count}");
                counts.into_iter().map(shown).collect()
            }
        }
    }
}

fn counts(stats: &Stats) -> Vec<Count> {
    let count = |label, number| Count {
        label,
        number,
        is_bad: false,
    };
    let bad = |label, number| Count {
        label,
        number,
        is_bad: number > 0,
    };
    vec![
        count("pending", stats.pending),
        Count {
            label: "  overdue",
            number: stats.overdue,
            // A busy queue always has some that have just become due.
            is_bad: overdue_ms(stats) > 1_000,
        },
        count("ready", stats.ready),
        count("claimed", stats.claimed),
        count("in flight", stats.in_flight),
        count("retrying", stats.retrying),
        count("grouped", stats.grouped),
        bad("dead", stats.dead),
        bad("quarantined", stats.quarantined),
    ]
}

fn ahead(stats: &Stats) -> Vec<(String, u64)> {
    let mut labels = vec!["overdue".to_owned()];
    let mut from = "now".to_owned();
    for end in AHEAD {
        let end = brief(end);
        labels.push(format!("{from} - {end}"));
        from = end;
    }
    labels.push("later".to_owned());
    let counts = [stats.overdue].into_iter().chain(stats.due_ahead.clone());
    labels.into_iter().zip(counts).collect()
}

fn next(upcoming: &Upcoming, now_ms: u64) -> Next {
    Next {
        due: relative(upcoming.due_ms as f64, now_ms),
        is_overdue: upcoming.due_ms <= now_ms,
        value: upcoming.value.clone(),
    }
}

#[cfg(test)]
mod tests;
