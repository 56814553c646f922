//! How fast a backlog of due elements is moved to the target queue.

use std::{
    thread,
    time::{Duration, Instant},
};

use plotters::chart::SeriesLabelPosition;

use super::{Measure, Plan, QUEUE};
use crate::{
    Result,
    contender::Contender,
    document,
    fill::{Due, Fill, Order, Writer},
    plot::{Axes, Line, Plot},
    section::Section,
    stage::Stage,
    table::{Table, figure, grouped, ratio},
    usage::Spent,
    worker::Worker,
};

pub(super) const MEASURE: Measure = Measure {
    name: "drain",
    title: "Backlog of due elements",
    about: "How fast one process moves a backlog to the target queue: elements that became due \
            while no process ran, as after a night without consumers. Nobody takes them. *In \
            order* means that all were offered with the same delay, *in random order* that their \
            delays were random. The clock runs from the opening of the queue until all elements \
            are moved or the time limit is over; a script that still runs then is waited for and \
            counts. Redisson would need hours for a million elements in random order, so it is \
            stopped after 15 s. Its list is longest in that time; over the whole backlog its rate \
            would be about twice as high. *Written by* says whose ids the members have. *Busy* is \
            the share of the time in which Redis ran scripts and served nobody else. *Longest* is \
            the longest single command: every other client had to wait that long.",
    run,
};

/// One backlog and who moves it.
struct Case {
    contender: Contender,
    order: Order,
    writer: Writer,
    count: usize,
}

struct Drained {
    per_second: f64,
    moved: usize,
    spent: Spent,
    longest: Option<Duration>,
}

fn run(plan: &Plan) -> Result<Section> {
    let mut section = Section::default();
    let sizes: &[usize] = plan.choose(&[20_000, 100_000, 1_000_000], &[1_000, 5_000]);
    let mut rates: Vec<Line> = Vec::new();
    let mut longest: Vec<Line> = Vec::new();
    for count in sizes {
        compare(&mut section, Order::Fifo, *count, plan)?;
    }
    for count in sizes {
        for (case, drained) in compare(&mut section, Order::Random, *count, plan)? {
            let name = case.name();
            let ms = drained.longest.map_or(0.0, |it| it.as_secs_f64() * 1e3);
            add(&mut rates, &name, *count, drained.per_second);
            add(&mut longest, &name, *count, ms);
        }
    }
    let axes = |y, names| Axes {
        x: "elements in the backlog",
        y,
        names,
    };
    let title = "Draining a backlog in random order";
    section.plot(Plot::log_log(
        "drain",
        title,
        axes("elements a second", SeriesLabelPosition::LowerLeft),
        rates,
    )?);
    let title = "The longest single command while it drains";
    section.plot(Plot::log_log(
        "longest",
        title,
        axes("ms", SeriesLabelPosition::UpperLeft),
        longest,
    )?);
    Ok(section)
}

/// Has each of [`WHO`] move a backlog of `count` elements, and writes the table.
fn compare(
    section: &mut Section,
    order: Order,
    count: usize,
    plan: &Plan,
) -> Result<Vec<(Case, Drained)>> {
    let how = match order {
        Order::Fifo => "in order",
        Order::Random => "in random order",
    };
    section.say(format!("{} elements {how}:", grouped(count as i64)));
    let mut table = Table::new([
        "",
        "written by",
        "moved",
        "a second",
        "vs Redisson",
        "longest, ms",
        "busy",
        "Redis CPU, us",
        "process CPU, us",
        "commands",
    ]);
    let mut all = Vec::new();
    let mut redisson = f64::NAN;
    let mut profile = None;
    for (contender, writer) in WHO {
        let case = Case {
            contender,
            order,
            writer,
            count,
        };
        let drained = drain(&case, plan)?;
        if contender == Contender::Redisson {
            redisson = drained.per_second;
        }
        table.row(drained.row(&case, redisson));
        if contender == Contender::Own {
            profile = Some(drained.spent.profile(drained.moved as f64));
            aim(section, &case, &drained, redisson);
        }
        all.push((case, drained));
    }
    section.table(&table);
    if let Some(profile) = profile {
        let profile = format!("this crate, its own members: {profile}");
        section.say(document::wrapped(&profile));
    }
    Ok(all)
}

/// Redisson comes first, because the others are compared with it. It does not read ids, so one kind
/// is enough.
const WHO: [(Contender, Writer); 4] = [
    (Contender::Redisson, Writer::Java),
    (Contender::Own, Writer::Java),
    (Contender::Own, Writer::Rust),
    (Contender::Unlisted, Writer::Unlisted),
];

/// Uses a Redis of its own, because Redis goes on with calls that Redisson gave up.
fn drain(case: &Case, plan: &Plan) -> Result<Drained> {
    let mut stage = Stage::start()?;
    let mut worker = stage.worker(case.contender)?;
    let keys = case.contender.keys(QUEUE)?;
    warm_up(&mut worker)?;
    let fill = Fill {
        writer: case.writer,
        order: case.order,
        due: Due::Past,
        count: case.count,
    };
    fill.write(&mut stage, &keys)?;
    let window = match case.contender {
        // It would take hours.
        Contender::Redisson if case.count > 100_000 => 15,
        Contender::Redisson => plan.choose(240, 3),
        _ => plan.choose(240, 5),
    };
    let window = Duration::from_secs(window);
    let (per_second, spent, longest) = measure(&mut stage, &mut worker, 0, window)?;
    Ok(Drained {
        per_second,
        moved: case.count - stage.pending(&keys)?,
        spent,
        longest,
    })
}

/// Delivers some elements of another queue.
pub(super) fn warm_up(worker: &mut Worker) -> Result<()> {
    worker.start("deliver warm-up 300 1 0 1 500");
    worker.arrivals()?;
    Ok(())
}

/// Opens the queue and waits until at most `rest` elements are pending, or the window is over.
/// Returns how many were moved a second, what that cost, and the longest command.
pub(super) fn measure(
    stage: &mut Stage,
    worker: &mut Worker,
    rest: usize,
    window: Duration,
) -> Result<(f64, Spent, Option<Duration>)> {
    let keys = worker.contender.keys(QUEUE)?;
    let all = stage.pending(&keys)?;
    let (per_second, spent) = stage.spent(worker, |stage, worker| {
        let start = Instant::now();
        worker.done(&format!("open {QUEUE}"))?;
        let mut left = stage.pending(&keys)?;
        while left > rest && start.elapsed() < window {
            thread::sleep(LOOK);
            left = stage.pending(&keys)?;
        }
        Ok((all - left) as f64 / start.elapsed().as_secs_f64())
    })?;
    Ok((per_second, spent, stage.longest_command()?))
}

impl Case {
    fn name(&self) -> String {
        match (self.contender, self.writer) {
            (Contender::Own, Writer::Java) => "this crate, members of Java".to_owned(),
            (Contender::Own, Writer::Rust) => "this crate, its own members".to_owned(),
            (other, _) => other.to_string(),
        }
    }
}

impl Drained {
    fn row(&self, case: &Case, redisson: f64) -> [String; 10] {
        let each = |total: f64| figure(total / self.moved as f64);
        [
            case.contender.to_string(),
            match case.writer {
                Writer::Java => "Java",
                Writer::Rust => "Rust",
                Writer::Unlisted => "Rust, unlisted",
            }
            .to_owned(),
            grouped(self.moved as i64),
            figure(self.per_second),
            ratio(self.per_second, redisson),
            self.longest(),
            format!(
                "{:.0} %",
                100.0 * self.spent.in_scripts.as_secs_f64() / self.spent.wall.as_secs_f64()
            ),
            each(self.spent.redis.as_secs_f64() * 1e6),
            each(self.spent.processes.as_secs_f64() * 1e6),
            each(self.spent.commands as f64),
        ]
    }

    fn longest(&self) -> String {
        let time = self.longest;
        time.map_or_else(
            || "under 1".to_owned(),
            |time| figure(time.as_secs_f64() * 1e3),
        )
    }
}

fn aim(section: &mut Section, case: &Case, drained: &Drained, redisson: f64) {
    let (times, at_most) = match (case.order, case.count) {
        (Order::Random, 100_000) => (400.0, Duration::from_millis(25)),
        (Order::Random, 1_000_000) => (100.0, Duration::from_millis(100)),
        _ => return,
    };
    let count = grouped(case.count as i64);
    let name = case.name();
    section.target(
        &format!("{count} in random order, {name}: at least {times} times Redisson"),
        ratio(drained.per_second, redisson),
        drained.per_second >= times * redisson,
    );
    section.target(
        &format!(
            "{count} in random order, {name}: no command over {} ms",
            at_most.as_millis()
        ),
        format!("{} ms", drained.longest()),
        drained.longest.is_none_or(|longest| longest <= at_most),
    );
}

fn add(lines: &mut Vec<Line>, name: &str, count: usize, y: f64) {
    let point = (count as f64, y);
    match lines.iter_mut().find(|line| line.name == name) {
        Some(line) => line.points.push(point),
        None => lines.push(Line {
            name: name.to_owned(),
            points: vec![point],
        }),
    }
}

/// How often the driver counts the elements that are left.
const LOOK: Duration = Duration::from_millis(5);
