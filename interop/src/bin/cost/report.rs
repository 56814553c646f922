//! The table that is printed.

use std::time::Duration;

/// How long one call took, each time.
pub(crate) struct Line {
    call: String,
    /// From the shortest to the longest.
    times: Vec<Duration>,
}

impl Line {
    pub(crate) fn new(call: String, mut times: Vec<Duration>) -> Self {
        times.sort();
        Self { call, times }
    }

    /// What so many of a hundred calls did not exceed; none if Java never answered.
    fn percentile(&self, percent: usize) -> Option<Duration> {
        let index = (self.times.len() * percent).div_ceil(100);
        self.times.get(index.checked_sub(1)?).copied()
    }
}

/// Prints the calls on a queue of one size; the last of them is what the others are compared with.
pub(crate) fn report(pending: usize, lines: &[Line]) {
    println!("\n{pending} pending");
    println!(
        "{:<16} {:>6} {:>12} {:>12} {:>14}",
        "call", "times", "p50 ms", "p95 ms", "Java remove is"
    );
    let java = lines.last().and_then(|line| line.percentile(50));
    for line in lines {
        let p50 = line.percentile(50);
        let ratio = java.zip(p50).map_or_else(
            || "-".to_owned(),
            |(java, own)| format!("{:.1} x", java.as_secs_f64() / own.as_secs_f64()),
        );
        println!(
            "{:<16} {:>6} {:>12} {:>12} {ratio:>14}",
            line.call,
            line.times.len(),
            millis(p50),
            millis(line.percentile(95))
        );
    }
}

fn millis(time: Option<Duration>) -> String {
    time.map_or_else(
        || "no answer".to_owned(),
        |time| format!("{:.3}", time.as_secs_f64() * 1_000.0),
    )
}
