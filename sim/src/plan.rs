//! The accidents of a schedule.

use rand::{RngExt, rngs::StdRng};

/// An accident. Times are ms.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Accident {
    /// The streams of a process break.
    Cut { process: usize },
    /// For so long no byte arrives that the process sends or is to receive.
    Stall { process: usize, ms: u64 },
    /// What the server sends to a process is lost, on the streams that are open.
    HalfOpen { process: usize },
    /// A process dies, and another takes its place later.
    Kill { process: usize, ms: u64 },
    /// A process stands still.
    Freeze { process: usize, ms: u64 },
    /// The server restarts and knows no script.
    Restart,
    /// The server restarts without its last writes.
    Forget,
    /// The clock of the server jumps.
    Jump { ms: i64 },
}

/// How many processes there are.
pub(crate) const PROCESSES: usize = 2;
/// No accident happens later.
pub(crate) const HEALED_MS: u64 = 8_000;

/// Makes accidents in the order of their times.
pub(crate) fn plan(random: &mut StdRng) -> Vec<(u64, Accident)> {
    let count = random.random_range(0..7);
    let mut plan: Vec<_> = (0..count)
        .map(|_| {
            let at = random.random_range(0..HEALED_MS);
            let process = random.random_range(0..PROCESSES);
            let ms = random.random_range(1..HEALED_MS - at + 1).min(4_000);
            let accident = match random.random_range(0..8) {
                0 => Accident::Cut { process },
                1 => Accident::Stall { process, ms },
                2 => Accident::HalfOpen { process },
                3 => Accident::Kill { process, ms },
                4 => Accident::Freeze { process, ms },
                5 => Accident::Restart,
                6 => Accident::Forget,
                _ => Accident::Jump {
                    ms: random.random_range(-3_000..3_000),
                },
            };
            (at, accident)
        })
        .collect();
    plan.sort_by_key(|(at, _)| *at);
    plan
}
