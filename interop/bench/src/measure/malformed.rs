//! How fast malformed members are cleared, and how long they hold up good ones.

use std::{
    thread,
    time::{Duration, Instant},
};

use super::{Measure, Plan, QUEUE, drain::warm_up};
use crate::{
    Result,
    contender::{Contender, Keys},
    fill::{Due, Fill, Order, Writer},
    section::Section,
    stage::Stage,
    table::{Table, figure, grouped},
};

pub(super) const MEASURE: Measure = Measure {
    name: "malformed",
    title: "Malformed members",
    about: "How fast one process of this crate removes malformed members, and how long they hold \
            up good elements. When the process opens the queue, malformed members are due, ten \
            good elements are due right behind them, and other elements are pending. *Listed* \
            means that the malformed members stand in the ordering list too, at its newer end. All \
            times run from the opening of the queue: until the good elements are in the target \
            queue (*good ones*), until the timeout set has no malformed member (*set*), and until \
            the ordering list has none (*list*). *Longest* is the longest single command. Redisson \
            is not measured: the first malformed member stops it for good.",
    run,
};

/// How many malformed members there are, beside how many pending elements.
struct Case {
    pending: usize,
    malformed: usize,
    is_listed: bool,
}

struct Cleared {
    good: Duration,
    set: Duration,
    list: Duration,
    longest: Duration,
}

fn run(plan: &Plan) -> Result<Section> {
    let mut section = Section::default();
    let sizes: &[(usize, usize)] = plan.choose(
        &[
            (100_000, 1_000),
            (100_000, 10_000),
            (1_000_000, 1_000),
            (100_000, 1_000_000),
        ],
        &[(1_000, 100), (1_000, 3_000)],
    );
    let mut table = Table::new([
        "pending",
        "malformed",
        "listed",
        "good ones, ms",
        "set, ms",
        "cleared a second",
        "list, ms",
        "longest, ms",
    ]);
    for (pending, malformed) in sizes.iter().copied() {
        for is_listed in [false, true] {
            let case = Case {
                pending,
                malformed,
                is_listed,
            };
            let cleared = clear(&case)?;
            table.row(cleared.row(&case));
            aim(&mut section, &case, &cleared);
        }
    }
    section.table(&table);
    Ok(section)
}

fn clear(case: &Case) -> Result<Cleared> {
    let mut stage = Stage::start()?;
    let mut worker = stage.worker(Contender::Own)?;
    let keys = Contender::Own.keys(QUEUE)?;
    warm_up(&mut worker)?;
    let mut fill = Fill {
        writer: Writer::Rust,
        order: Order::Fifo,
        due: Due::Future,
        count: case.pending,
    };
    fill.write(&mut stage, &keys)?;
    write_malformed(&mut stage, &keys, case)?;
    fill.due = Due::At(stage.now_ms()?);
    fill.count = GOOD;
    fill.write(&mut stage, &keys)?;

    let (times, _) = stage.spent(&mut worker, |stage, worker| {
        let start = Instant::now();
        worker.done(&format!("open {QUEUE}"))?;
        let mut until = |command: [&str; 2], count: usize| -> Result<Duration> {
            while stage.query::<usize>(&command)? != count {
                if start.elapsed() > WINDOW {
                    return Err(format!("{} stays as it is", command[1]).into());
                }
                thread::sleep(LOOK);
            }
            Ok(start.elapsed())
        };
        let good = until(["LLEN", &keys.target], GOOD)?;
        let set = until(["ZCARD", &keys.timeouts], case.pending)?;
        let list = until(["LLEN", &keys.ordering], case.pending)?;
        Ok((good, set, list))
    })?;
    let (good, set, list) = times;
    Ok(Cleared {
        good,
        set,
        list,
        longest: stage.longest_command()?.unwrap_or_default(),
    })
}

/// All are due in the millisecond before the good ones are.
fn write_malformed(stage: &mut Stage, keys: &Keys, case: &Case) -> Result<()> {
    let due_ms = stage.now_ms()? - 1;
    for start in (0..case.malformed).step_by(CHUNK) {
        let (mut push, mut add) = (redis::cmd("RPUSH"), redis::cmd("ZADD"));
        push.arg(&keys.ordering);
        add.arg(&keys.timeouts);
        for i in start..case.malformed.min(start + CHUNK) {
            let member = format!("no member {i}");
            push.arg(&member);
            add.arg(due_ms).arg(&member);
        }
        if case.is_listed {
            push.exec(&mut stage.redis)?;
        }
        add.exec(&mut stage.redis)?;
    }
    Ok(())
}

fn aim(section: &mut Section, case: &Case, cleared: &Cleared) {
    let listed = if case.is_listed { "listed" } else { "unlisted" };
    let name = format!(
        "{} {listed} beside {}",
        grouped(case.malformed as i64),
        grouped(case.pending as i64)
    );
    if case.malformed <= 10_000 {
        section.target(
            &format!("{name}: good ones within 500 ms"),
            format!("{} ms", ms(cleared.good)),
            cleared.good <= Duration::from_millis(500),
        );
    } else {
        section.target(
            &format!("{name}: 100,000 cleared a second"),
            cleared.per_second(case),
            case.malformed as f64 >= 100_000.0 * cleared.set.as_secs_f64(),
        );
    }
    if case.pending <= 100_000 {
        section.target(
            &format!("{name}: no command over 25 ms"),
            format!("{} ms", ms(cleared.longest)),
            cleared.longest <= Duration::from_millis(25),
        );
    }
}

impl Cleared {
    fn row(&self, case: &Case) -> [String; 8] {
        [
            grouped(case.pending as i64),
            grouped(case.malformed as i64),
            if case.is_listed { "yes" } else { "no" }.to_owned(),
            ms(self.good),
            ms(self.set),
            self.per_second(case),
            ms(self.list),
            ms(self.longest),
        ]
    }

    fn per_second(&self, case: &Case) -> String {
        figure(case.malformed as f64 / self.set.as_secs_f64())
    }
}

fn ms(time: Duration) -> String {
    figure(time.as_secs_f64() * 1e3)
}

const GOOD: usize = 10;

const CHUNK: usize = 1_000;

/// When the driver gives up.
const WINDOW: Duration = Duration::from_secs(240);

/// How often the driver looks.
const LOOK: Duration = Duration::from_millis(2);
