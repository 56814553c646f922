//! What the demo prints.

use interop::order::Order;

use crate::{Language, Route};

/// When an order was due and when the consumer had it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    /// Unix milliseconds.
    pub(crate) due_ms: u64,
    /// Unix microseconds.
    pub(crate) micros: u64,
}

/// One line of the table.
#[derive(Debug)]
pub(crate) struct Row {
    title: String,
    count: usize,
    /// Milliseconds.
    p50: f64,
    p99: f64,
    max: f64,
    pub(crate) early: usize,
}

impl Arrival {
    /// Microseconds; negative if early.
    fn late(self) -> i64 {
        self.micros.cast_signed() - (self.due_ms * 1_000).cast_signed()
    }
}

/// How many orders of a route are printed.
pub(crate) const SHOWN: usize = 10;

pub(crate) fn heading(route: Route, count: usize) -> String {
    let Route {
        producer,
        mover,
        consumer,
    } = route;
    let baseline = match (producer, mover, consumer) {
        (Language::Java, Language::Java, Language::Java) => " (Redisson alone, to compare with)",
        _ => "",
    };
    format!(
        "{producer:?} offers {count} orders, {mover:?} transfers, {consumer:?} takes{baseline}; the \
         first {SHOWN}, from when the first was due:\n    \
         taken at  order      customer  amount  late by"
    )
}

/// `start` is the time from which arrivals are counted, in Unix milliseconds.
pub(crate) fn line(order: &Order, arrival: Arrival, start: u64) -> String {
    let after = arrival.micros.cast_signed() - (start * 1_000).cast_signed();
    let nobody = String::new();
    format!(
        "  {:>8.1} ms  {}  {:<8} {:>6}.{:02}  {}",
        after as f64 / 1e3,
        order.id.as_ref().unwrap_or(&nobody),
        order.customer.as_ref().unwrap_or(&nobody),
        order.amount_cents / 100,
        order.amount_cents % 100,
        match millis(arrival.late()) {
            early if early < 0.0 => format!("EARLY by {:.2} ms", -early),
            late => format!("{late:6.2} ms late"),
        }
    )
}

pub(crate) fn row(route: Route, arrivals: &[Arrival]) -> Row {
    let mut late: Vec<i64> = arrivals.iter().map(|arrival| arrival.late()).collect();
    late.sort_unstable();
    // By nearest rank.
    let percentile = |percent: usize| {
        let rank = (late.len() * percent).div_ceil(100).max(1);
        millis(late.get(rank - 1).copied().unwrap_or(0))
    };
    Row {
        title: route.to_string(),
        count: late.len(),
        p50: percentile(50),
        p99: percentile(99),
        max: percentile(100),
        early: late.iter().filter(|late| **late < 0).count(),
    }
}

pub(crate) fn table(rows: &[Row]) {
    println!("  offers -> transfers -> takes       n      p50      p99      max    early");
    for row in rows {
        println!(
            "  {:<28} {:>7} {:>8.2} {:>8.2} {:>8.2} {:>8}",
            row.title, row.count, row.p50, row.p99, row.max, row.early
        );
    }
}

fn millis(micros: i64) -> f64 {
    micros as f64 / 1e3
}
