//! How late other delayed queues deliver, measured as `docs/which-delayed-queue.md` says.
//!
//! Each has the same work: a thousand elements that are due at random within ten seconds, for most of them
//! beside 100,000 that are due in an hour. `--quick` checks in seconds that it still runs.

use std::{env, time::Duration};

use interop::delays::delays;
use lateness::Lateness;

mod expiry;
mod lateness;
mod scan;
mod this_crate;
mod ttl;

/// The elements of a run.
#[derive(Clone, Copy, Debug)]
struct Work {
    /// How many elements become due.
    due: usize,
    /// Within which time.
    within: Duration,
    /// How many others are due in an hour.
    others: usize,
    /// How long to wait for what has not come when all are due.
    patience: Duration,
}

impl Work {
    /// One second until the first is due, so that all are offered by then.
    fn delays(&self) -> impl Iterator<Item = Duration> {
        let first = Duration::from_secs(1);
        delays(1, self.within)
            .map(move |delay| first + delay)
            .take(self.due)
    }

    /// How long a measurement takes at most, from its first offer on.
    fn length(&self) -> Duration {
        Duration::from_secs(1) + self.within + self.patience
    }
}

/// In an hour.
const FAR: Duration = Duration::from_secs(3_600);

fn main() {
    let is_quick = env::args().any(|it| it == "--quick");
    let work = match is_quick {
        true => Work {
            due: 50,
            within: Duration::from_secs(1),
            others: 1_000,
            patience: Duration::from_secs(3),
        },
        false => Work {
            due: 1_000,
            within: Duration::from_secs(10),
            others: 100_000,
            patience: Duration::from_secs(60),
        },
    };
    println!(
        "{} elements due within {:?}, {} others due in an hour; after {:?} more, what has not come is \
         counted as not come\n",
        work.due, work.within, work.others, work.patience
    );
    println!("| | p50 | p99 | latest | early | not come |\n|---|---|---|---|---|---|");
    let row = |name: &str, late: Lateness| println!("| {name} | {late} |");
    row("this crate", this_crate::measure(work));
    row("expiry notifications of Redis", expiry::measure(work));
    row(
        "TTL and DLX of RabbitMQ, without the others",
        ttl::measure(work, false),
    );
    row(
        "the same, one of the others in front",
        ttl::measure(work, true),
    );
    for each in [1, 5] {
        let each = Duration::from_secs(each);
        let (late, scan) = scan::measure(work, each);
        row(
            &format!("a scan every {each:?}, with an index: {scan:.1?} each"),
            late,
        );
    }
    let rows = 10 * work.others;
    let scan = scan::without_index(rows);
    println!("\nA scan without an index reads all rows: {scan:.1?} for {rows} rows.");
}
