//! What an element costs when many processes serve its queue.

use std::{result, thread, time::Duration};

use super::{Measure, Plan, QUEUE};
use crate::{
    Result,
    contender::Contender,
    fill::{Due, Fill, Order, Writer},
    section::Section,
    stage::Stage,
    table::{Table, figure, ratio},
    worker::Worker,
};

pub(super) const MEASURE: Measure = Measure {
    name: "processes",
    title: "Many processes on one queue",
    about: "What an element costs when one process, or many, transfer and take from one queue. \
            About a hundred elements a second become due, at random moments. Each process has one \
            waiting call. Commands are those that clients send, as `MONITOR` shows them; `PING` \
            and commands inside scripts do not count, but those that each process sends at rest \
            do.",
    run,
};

fn run(plan: &Plan) -> Result<Section> {
    let mut section = Section::default();
    let many = plan.choose(20, 4);
    let mut table = Table::new([
        "",
        "processes",
        "commands an element",
        "vs one process",
        "scripts",
        "Redis CPU, us",
        "processes CPU, us",
    ]);
    for contender in Contender::COMPATIBLE {
        let mut one = f64::NAN;
        for processes in [1, many] {
            let delivered = deliver(contender, processes, plan)?;
            if processes == 1 {
                one = delivered.commands;
            } else if contender == Contender::Own {
                section.target(
                    &format!("{many} processes: at most 3 times the commands of one"),
                    ratio(delivered.commands, one),
                    delivered.commands <= 3.0 * one,
                );
            }
            table.row([
                contender.to_string(),
                processes.to_string(),
                figure(delivered.commands),
                ratio(delivered.commands, one),
                figure(delivered.scripts),
                figure(delivered.redis),
                figure(delivered.processes),
            ]);
        }
    }
    section.table(&table);
    Ok(section)
}

/// The cost of one element.
struct Delivered {
    commands: f64,
    scripts: f64,
    /// CPU, us.
    redis: f64,
    processes: f64,
}

fn deliver(contender: Contender, processes: usize, plan: &Plan) -> Result<Delivered> {
    let mut stage = Stage::start()?;
    let workers = start(&stage, contender, processes)?;
    let count = plan.choose(500, 100);
    let keys = contender.keys(QUEUE)?;
    let first = stage.now_ms()? + 1_500;
    let span = count as u64 * 10;
    let all = Fill {
        writer: Writer::of(contender)?,
        order: Order::Random,
        due: Due::Between(first, first + span),
        count,
    };
    all.write(&mut stage, &keys)?;
    if stage.pending(&keys)? != count {
        return Err("elements are missing before they are due".into());
    }
    let head: Vec<(Vec<u8>, u64)> =
        stage.query(&["ZRANGE", &keys.timeouts, "0", "0", "WITHSCORES"])?;
    let head = head.first().ok_or("nothing is pending")?.1;
    stage.query::<()>(&["PUBLISH", &keys.channel, &head.to_string()])?;

    let all: Vec<&Worker> = workers.iter().collect();
    let before = stage.usage(&all)?;
    let last = Duration::from_millis(first + span + 500 - stage.now_ms()?);
    let monitor = stage.monitor()?;
    thread::sleep(last);
    let sent = monitor.stop()?;
    let spent = stage.usage(&all)?.since(&before);
    if stage.pending(&keys)? > 0 {
        return Err(format!("{contender} has not moved all in time").into());
    }
    let each = |total: f64| total / count as f64;
    Ok(Delivered {
        commands: each(sent.commands as f64),
        scripts: each(spent.scripts as f64),
        redis: each(spent.redis.as_secs_f64() * 1e6),
        processes: each(spent.processes.as_secs_f64() * 1e6),
    })
}

/// Starts them side by side.
fn start(stage: &Stage, contender: Contender, processes: usize) -> Result<Vec<Worker>> {
    let url = stage.url();
    let start = || -> Result<Worker> {
        let mut worker = contender.start(&url)?;
        worker.done(&format!("open {QUEUE}"))?;
        worker.done(&format!("wait {QUEUE} 1"))?;
        Ok(worker)
    };
    // An error may not leave its thread, its text may.
    let started = thread::scope(|scope| {
        let start = || start().map_err(|error| error.to_string());
        let starting: Vec<_> = (0..processes).map(|_| scope.spawn(start)).collect();
        let ended = starting.into_iter().map(|thread| thread.join());
        let ended = ended.map(|end| end.unwrap_or_else(|_| Err("a start panicked".to_owned())));
        ended.collect::<result::Result<Vec<_>, String>>()
    });
    Ok(started?)
}
