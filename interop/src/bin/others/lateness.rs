//! How late elements came.

use std::{
    fmt,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// The moment that an element is due, as a text that goes with it.
pub(crate) fn due_in(delay: Duration) -> String {
    (now_us() + delay.as_micros() as i64).to_string()
}

/// Unix microseconds.
pub(crate) fn now_us() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.expect("the clock is set").as_micros() as i64
}

/// The lateness of each element of a measurement.
#[derive(Debug)]
pub(crate) struct Lateness {
    due: usize,
    /// Microseconds; negative if early.
    came: Vec<i64>,
}

impl Lateness {
    /// The ledger of so many elements, of which none has come.
    pub(crate) fn of(due: usize) -> Self {
        let came = Vec::with_capacity(due);
        Self { due, came }
    }

    /// The element that was due at this moment, a text of [`due_in`], comes now.
    pub(crate) fn came(&mut self, due: &str) {
        let due: i64 = due.parse().expect("an element is its due time");
        self.came.push(now_us() - due);
    }

    /// All have come.
    pub(crate) fn is_complete(&self) -> bool {
        self.came.len() >= self.due
    }
}

/// Cells of a table.
impl fmt::Display for Lateness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut came = self.came.clone();
        came.sort_unstable();
        // By nearest rank, of those that came.
        let rank = |percent: usize| {
            let rank = (came.len() * percent).div_ceil(100).max(1);
            match came.get(rank - 1) {
                Some(us) if *us >= 1_000_000 => format!("{:.1} s", *us as f64 / 1e6),
                Some(us) => format!("{:.1} ms", *us as f64 / 1e3),
                None => "none".to_owned(),
            }
        };
        // The clocks of a millisecond are cut.
        let early = came.iter().filter(|us| **us < -1_000).count();
        let missing = self.due.saturating_sub(came.len());
        let (p50, p99, latest) = (rank(50), rank(99), rank(100));
        write!(f, "{p50} | {p99} | {latest} | {early} | {missing}")
    }
}
