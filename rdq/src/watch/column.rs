//! Names the columns of the list of all queues, and fills them.

use super::table::Row;
use crate::queue::stats::Stats;
use crate::screen::number;
use crate::screen::relative;

/// Names a column of the list of all queues.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Column {
    Queue,
    #[default]
    Pending,
    Overdue,
    Ready,
    InFlight,
    Dead,
    Offered,
    Moved,
    Taken,
    Listeners,
    Next,
    Note,
}

impl Column {
    /// All columns, as they stand from left to right.
    pub(crate) const ALL: [Self; 12] = [
        Self::Queue,
        Self::Pending,
        Self::Overdue,
        Self::Ready,
        Self::InFlight,
        Self::Dead,
        Self::Offered,
        Self::Moved,
        Self::Taken,
        Self::Listeners,
        Self::Next,
        Self::Note,
    ];

    /// The columns that a narrow screen leaves out. The first one goes first.
    pub(crate) const DISPENSABLE: [Self; 8] = [
        Self::Next,
        Self::Listeners,
        Self::InFlight,
        Self::Dead,
        Self::Offered,
        Self::Taken,
        Self::Moved,
        Self::Ready,
    ];

    /// Returns its index in [`ALL`](Self::ALL).
    pub(crate) fn place(self) -> usize {
        self as usize
    }

    pub(crate) fn heading(self) -> &'static str {
        match self {
            Self::Queue => "QUEUE",
            Self::Pending => "PENDING",
            Self::Overdue => "OVERDUE",
            Self::Ready => "READY",
            Self::InFlight => "FLIGHT",
            Self::Dead => "DEAD",
            Self::Offered => "~OFFER/s",
            Self::Moved => "~MOVED/s",
            Self::Taken => "~TAKEN/s",
            Self::Listeners => "LISTEN",
            Self::Next => "NEXT DUE",
            Self::Note => "NOTE",
        }
    }

    /// Returns the text of a number, or nothing if nobody knows the number.
    pub(crate) fn text(self, row: &Row) -> String {
        let count = |of: fn(&Stats) -> u64| {
            let stats = row.stats.as_ref();
            stats.map(|it| number::short(of(it))).unwrap_or_default()
        };
        let rate = || row.flow.map(|_| number::rate(self.number(row)));
        match self {
            Self::Queue | Self::Note => String::new(),
            Self::Pending => count(|it| it.pending),
            Self::Overdue => count(|it| it.overdue),
            Self::Ready => count(|it| it.ready),
            Self::InFlight => count(Stats::held),
            Self::Dead => count(|it| it.dead),
            Self::Offered | Self::Moved | Self::Taken => rate().unwrap_or_default(),
            Self::Listeners => count(|it| it.subscribers),
            Self::Next => {
                let stats = row.stats.as_ref();
                let next = stats.and_then(|it| Some(relative(it.next_due_ms?, it.at_ms)));
                next.unwrap_or_default()
            }
        }
    }

    /// Returns the number to sort by. Unknown numbers come last.
    pub(crate) fn number(self, row: &Row) -> f64 {
        let flow = |of: fn(&super::flow::Flow) -> f64| row.flow.as_ref().map_or(-1.0, of);
        let count = |of: fn(&Stats) -> u64| row.stats.as_ref().map_or(-1.0, |it| of(it) as f64);
        match self {
            Self::Queue | Self::Next | Self::Note => 0.0,
            Self::Pending => count(|it| it.pending),
            Self::Overdue => count(|it| it.overdue),
            Self::Ready => count(|it| it.ready),
            Self::InFlight => count(Stats::held),
            Self::Dead => count(|it| it.dead),
            Self::Offered => flow(|it| it.offered),
            Self::Moved => flow(|it| it.moved),
            Self::Taken => flow(|it| it.taken),
            Self::Listeners => count(|it| it.subscribers),
        }
    }
}
