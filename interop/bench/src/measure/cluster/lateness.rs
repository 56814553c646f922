//! How late elements of each case are at a moderate rate, and what one then costs.

use std::time::Duration;

use super::{
    case::{self, CALLERS, Case},
    site::Sites,
};
use crate::{
    Result,
    document::wrapped,
    measure::{
        Plan,
        lateness::{Rounds, add_due_times, all_seen, late},
    },
    section::Section,
    statistics::Figures,
    table::{figure, ratio},
    topology::Topology,
    usage::Spent,
    worker::Worker,
};

/// What the rounds of a case have measured.
#[derive(Default)]
struct Measured {
    late: Rounds,
    spent: Vec<Spent>,
}

pub(super) fn compare(sites: &mut Sites, plan: Plan, section: &mut Section) -> Result<()> {
    let count = plan.choose(600, 240);
    let rounds = plan.choose(3, 1);
    section.say(wrapped(&format!(
        "Lateness, in ms, of {RATE} elements a second with delays of 2 to 3 s, {count} of them in \
         {}. It offers, transfers and takes. Costs are for each element, and include what a \
         process does at rest:",
        plan.choose("each of three processes", "one process")
    )));
    let cases = case::cases("deliver", "deliver");
    let mut all: Vec<Measured> = cases.iter().map(|_| Measured::default()).collect();
    for _ in 0..rounds {
        for (case, measured) in cases.iter().zip(&mut all) {
            let (late, spent) = round(sites.topology(case.place), case, count)?;
            measured.late.add(late);
            measured.spent.push(spent);
        }
    }
    let mut table = case::table(COLUMNS);
    for (case, measured) in cases.iter().zip(&all) {
        let compared = |with: Option<usize>, of: fn(&Measured, usize) -> f64| {
            let with = with.map_or(f64::NAN, |place| of(&all[place], count));
            ratio(of(measured, count), with)
        };
        let late = &measured.late;
        let cells = [
            figure(late.median_of(50.0)),
            figure(late.median_of(99.0)),
            figure(late.all.max()),
            late.early().to_string(),
            compared(case.plain(&cases), |it, _| it.late.median_of(99.0)),
            compared(case.own(&cases), |it, _| it.late.median_of(99.0)),
            figure(measured.redis_us(count)),
            compared(case.plain(&cases), Measured::redis_us),
            figure(measured.each(count, |it| it.busiest.as_secs_f64() * 1e6)),
            figure(measured.each(count, |it| it.processes.as_secs_f64() * 1e6)),
            figure(measured.each(count, |it| it.scripts as f64)),
        ];
        table.row(case.labels().into_iter().chain(cells));
    }
    section.table(&table);
    Ok(())
}

const COLUMNS: [&str; 11] = [
    "p50",
    "p99",
    "longest",
    "early",
    "p99 vs one queue",
    "p99 vs this crate",
    "Redis CPU, us",
    "vs one queue",
    "busiest, us",
    "process CPU, us",
    "scripts",
];

impl Measured {
    fn redis_us(&self, count: usize) -> f64 {
        self.each(count, |it| it.redis.as_secs_f64() * 1e6)
    }

    fn each(&self, count: usize, of: impl Fn(&Spent) -> f64) -> f64 {
        self.spent.iter().map(of).collect::<Figures>().median() / count as f64
    }
}

/// In a new process, because Redisson's timer ticks at another moment in each.
fn round(topology: &mut Topology, case: &Case, count: usize) -> Result<(Figures, Spent)> {
    topology.clear()?;
    let mut worker = topology.worker(case.way.contender)?;
    let queue = case.queue("late");
    worker.start(&format!("deliver {queue} 600 {CALLERS} 0 1 500"));
    worker.arrivals()?;
    topology.spent(&mut worker, |topology, worker| {
        deliver(topology, worker, case, count)
    })
}

fn deliver(
    topology: &mut Topology,
    worker: &mut Worker,
    case: &Case,
    count: usize,
) -> Result<Figures> {
    let (queue, names) = (case.queue("late"), case.names("late"));
    worker.start(&format!(
        "deliver {queue} {count} {CALLERS} {RATE} 2000 3000"
    ));
    // Seldom, because the looks cost Redis time too.
    let due_ms = all_seen(count, Duration::from_millis(1_000), |due_ms| {
        names.iter().try_for_each(|name| {
            let keys = case.way.contender.keys(name)?;
            add_due_times(topology.master_of(name)?, &keys, due_ms)
        })
    })?;
    late(worker, &due_ms)
}

/// How many elements are offered a second.
const RATE: usize = 200;
