//! What calls cost, depending on how many elements are pending.

use std::time::Duration;

use plotters::chart::SeriesLabelPosition;

use super::{Measure, Plan, QUEUE, drain};
use crate::{
    Result,
    contender::Contender,
    fill::{self, Due, Fill, Order, Writer},
    plot::{Axes, Line, Plot},
    section::Section,
    stage::Stage,
    statistics::Figures,
    table::{Table, figure, grouped, ratio},
    worker::Worker,
};

pub(super) const MEASURE: Measure = Measure {
    name: "pending",
    title: "One of many pending elements",
    about: "How long a call takes when many elements are pending. Each cell has two figures: the \
            median time of the call, and the processor time that a call costs Redis's main thread, \
            which other work on the machine does not lengthen. One process makes one call after \
            the other, about elements anywhere in a queue whose elements are due in random order. \
            Members have the ids of the library that is measured, or Java's where the row says so. \
            `remove`, `contains` and `Offer::unique_in_queue` search by value. This crate searches \
            in many scripts of about 1 ms, and Redis serves others between them; Redisson searches \
            in one script that blocks Redis. A dash means that the library gave up. The first \
            table is about moving: some elements become due, in order, while the others stay \
            pending.",
    run,
};

/// Who makes which calls, about whose elements.
struct Who {
    contender: Contender,
    writer: Writer,
    name: &'static str,
    calls: &'static [&'static str],
}

const WHO: [Who; 4] = [
    Who {
        contender: Contender::Own,
        writer: Writer::Rust,
        name: "this crate",
        calls: &[
            "offer",
            "reschedule",
            "cancel",
            "move-keyed",
            "replace-keyed",
            "remove",
            "replace",
            "contains",
        ],
    },
    Who {
        contender: Contender::Own,
        writer: Writer::Java,
        name: "this crate, members of Java",
        calls: &["cancel", "replace-keyed"],
    },
    Who {
        contender: Contender::Unlisted,
        writer: Writer::Unlisted,
        name: "this crate, unlisted",
        calls: &[
            "offer",
            "reschedule",
            "cancel",
            "move-keyed",
            "replace-keyed",
        ],
    },
    Who {
        contender: Contender::Redisson,
        writer: Writer::Java,
        name: "Redisson",
        calls: &["offer", "remove", "contains"],
    },
];

/// The cost of one call at one size.
#[derive(Clone, Copy)]
struct Cost {
    ms: f64,
    redis_us: f64,
}

/// How fast what is due was moved, and Redis's time for each.
struct Moved {
    per_second: f64,
    redis_us: f64,
}

struct Row {
    name: String,
    /// By size.
    costs: Vec<Option<Cost>>,
}

fn run(plan: &Plan) -> Result<Section> {
    let sizes: &[usize] = plan.choose(&[1_000, 10_000, 100_000, 1_000_000], &[1_000, 10_000]);
    let mut moved: Vec<(&str, Vec<Moved>)> = Vec::new();
    let mut rows: Vec<Row> = Vec::new();
    for who in &WHO {
        let mut calls: Vec<Row> = who.calls.iter().map(|call| who.row(call)).collect();
        let mut rates = Vec::new();
        for size in sizes {
            let mut stage = Stage::start()?;
            let mut worker = stage.worker(who.contender)?;
            drain::warm_up(&mut worker)?;
            let mut members = who.fill(&mut stage, *size)?;
            let (per_second, spent, _) = drain::measure(&mut stage, &mut worker, *size, MOVING)?;
            rates.push(Moved {
                per_second,
                redis_us: spent.redis.as_secs_f64() * 1e6 / DUE as f64,
            });
            println!("{}, {} pending", who.name, grouped(*size as i64));
            for (call, row) in who.calls.iter().zip(&mut calls) {
                row.costs
                    .push(cost(&mut stage, &mut worker, call, &mut members)?);
            }
        }
        moved.push((who.name, rates));
        rows.append(&mut calls);
    }
    println!();
    let mut section = Section::default();
    section.say(format!(
        "{} elements become due; how many are moved a second, and Redis's time for each, by how many \
         others stay pending:",
        grouped(DUE as i64)
    ));
    section.table(&moved_table(sizes, &moved));
    section.say("Calls, by how many elements are pending:");
    section.table(&table(sizes, &rows));
    aim(&mut section, sizes, &moved, &rows);
    section.plot(plot(sizes, &rows)?);
    Ok(section)
}

impl Who {
    fn row(&self, call: &str) -> Row {
        Row {
            name: match call {
                "move-keyed" => format!("{}: `Offer::key`, rescheduling", self.name),
                "replace-keyed" => format!("{}: `Offer::key`, replacing", self.name),
                "replace" => format!("{}: `Offer::unique_in_queue`, replacing", self.name),
                _ => format!("{}: `{call}`", self.name),
            },
            costs: Vec::new(),
        }
    }

    /// Writes due elements, and `pending` others; returns the members of the others.
    fn fill(&self, stage: &mut Stage, pending: usize) -> Result<Vec<Vec<u8>>> {
        let keys = self.contender.keys(QUEUE)?;
        let pending = Fill {
            writer: self.writer,
            order: Order::Random,
            due: Due::Future,
            count: pending,
        };
        let due = Fill {
            order: Order::Fifo,
            due: Due::Past,
            count: DUE,
            ..pending
        };
        due.write(stage, &keys)?;
        pending.write(stage, &keys)
    }
}

fn cost(
    stage: &mut Stage,
    worker: &mut Worker,
    call: &str,
    members: &mut Vec<Vec<u8>>,
) -> Result<Option<Cost>> {
    let searches = ["remove", "replace", "contains"].contains(&call);
    let samples = match members.len() {
        900_000.. if searches => 4,
        _ if searches => 20,
        _ => 100,
    };
    // Takes each member once, because a call may remove it.
    let some: Vec<Vec<u8>> = (0..samples)
        .map(|_| members.swap_remove(rand::random_range(0..members.len())))
        .collect();
    if call.ends_with("-keyed") {
        fill::put_under_keys(stage, QUEUE, &some)?;
    }
    let command = format!("each {QUEUE} {call} {}", fill::words(&some));
    let (times, spent) = stage.spent(worker, |_, worker| Ok(worker.times(&command)))?;
    // Redisson gives up a call that Redis does not answer in time.
    let times: Figures = match times {
        Ok(Some(times)) => times.iter().map(|it| it.as_secs_f64() * 1e3).collect(),
        Err(_) if worker.contender == Contender::Redisson => return Ok(None),
        Ok(None) => return Err(format!("no call {call}").into()),
        Err(error) => return Err(error),
    };
    Ok(Some(Cost {
        ms: times.median(),
        redis_us: spent.redis.as_secs_f64() * 1e6 / times.len() as f64,
    }))
}

fn moved_table(sizes: &[usize], moved: &[(&str, Vec<Moved>)]) -> Table {
    let mut table = Table::new(heading(sizes));
    for (name, rates) in moved {
        let rates = rates
            .iter()
            .map(|it| format!("{}/s, {} us", figure(it.per_second), figure(it.redis_us)));
        table.row([(*name).to_owned()].into_iter().chain(rates));
    }
    table
}

fn table(sizes: &[usize], rows: &[Row]) -> Table {
    let mut table = Table::new(heading(sizes));
    for row in rows {
        let costs = row.costs.iter().map(|cost| match cost {
            Some(Cost { ms, redis_us }) => format!("{} ms, {} us", figure(*ms), figure(*redis_us)),
            None => "-".to_owned(),
        });
        table.row([row.name.clone()].into_iter().chain(costs));
    }
    table
}

fn heading(sizes: &[usize]) -> impl Iterator<Item = String> {
    let sizes = sizes.iter().map(|size| grouped(*size as i64));
    [String::new()].into_iter().chain(sizes)
}

fn aim(section: &mut Section, sizes: &[usize], moved: &[(&str, Vec<Moved>)], rows: &[Row]) {
    let cost = |name: &str, size: usize| {
        let row = rows
            .iter()
            .find(|row| row.name == format!("this crate: `{name}`"))?;
        row.costs[sizes.iter().position(|it| *it == size)?]
    };
    let largest = sizes[sizes.len() - 1];
    let flat = |name| {
        let (small, large) = (cost(name, sizes[0])?, cost(name, largest)?);
        Some(large.ms / small.ms)
    };
    let bound = format!(
        "with {} pending at most 1.5 times as long as with {}",
        grouped(largest as i64),
        grouped(sizes[0] as i64)
    );
    for name in ["offer", "reschedule"] {
        if let Some(times) = flat(name) {
            section.target(
                &format!("`{name}`: {bound}"),
                format!("{} x", figure(times)),
                times <= 1.5,
            );
        }
    }
    let rates = &moved[0].1;
    let slower = rates[rates.len() - 1].redis_us / rates[0].redis_us;
    section.target(
        &format!("moving, by Redis's time: {bound}"),
        ratio(slower, 1.0),
        slower <= 1.5,
    );
    let unlisted = rows.iter().filter(|row| row.name.contains("unlisted"));
    for row in unlisted {
        if let (Some(Some(small)), Some(Some(large))) = (row.costs.first(), row.costs.last()) {
            let times = large.ms / small.ms;
            section.target(
                &format!("{}: {bound}", row.name),
                ratio(large.ms, small.ms),
                times <= 1.5,
            );
        }
    }
    for (size, at_most) in [(100_000, 2.0), (1_000_000, 20.0)] {
        if let Some(cost) = cost("cancel", size) {
            section.target(
                &format!(
                    "`cancel` with {} pending: at most {at_most} ms",
                    grouped(size as i64)
                ),
                format!("{} ms", figure(cost.ms)),
                cost.ms <= at_most,
            );
        }
    }
}

fn plot(sizes: &[usize], rows: &[Row]) -> Result<Plot> {
    let shown = ["`offer`", "`reschedule`", "`cancel`", "Redisson: `remove`"];
    let shown = rows.iter().filter(|row| {
        shown.iter().any(|end| row.name.ends_with(end)) && !row.name.contains("members")
    });
    let lines = shown.map(|row| Line {
        name: row.name.replace('`', ""),
        points: sizes
            .iter()
            .zip(&row.costs)
            .filter_map(|(size, cost)| Some((*size as f64, (*cost)?.ms)))
            .collect(),
    });
    let axes = Axes {
        x: "pending elements",
        y: "ms at the median",
        names: SeriesLabelPosition::UpperLeft,
    };
    Plot::log_log(
        "pending",
        "A call, by how many elements are pending",
        axes,
        lines.collect(),
    )
}

/// The longest that moving is watched.
const MOVING: Duration = Duration::from_secs(30);

/// How many become due.
const DUE: usize = 10_000;
