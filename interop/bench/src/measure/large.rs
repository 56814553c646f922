//! How a large element affects Redis, the process, and small elements beside it.

use std::{env, process::Command};

use testbed::Server;

use super::{Measure, Plan};
use crate::{
    Result,
    large::Figures,
    section::Section,
    table::{Table, figure},
};

pub(super) const MEASURE: Measure = Measure {
    name: "large",
    title: "One large element",
    about: "What one large element costs. A process offers, transfers and takes it, with default \
            settings and on a Redis of their own. Meanwhile the process offers two small elements \
            every 10 ms, one to the same queue and one to another. The first columns say how long \
            the longest command of each step blocks Redis: the offer, the transfer, and whatever \
            brings the element to the taker. *No `PING`* is the longest time in which Redis did \
            not answer a `PING` on another connection, and *in all* adds up all such times of more \
            than 5 ms. Nothing can deliver a small element while Redis does not answer. So the \
            columns for small elements say how much more than *in all* the latest one was late: \
            that much the library adds. *Memory* says by how many times the payload the process \
            grew at most; the caller holds one copy of it.",
    run,
};

fn run(plan: &Plan) -> Result<Section> {
    let mut section = Section::default();
    let sizes: &[usize] = plan.choose(&[1, 16, 64, 256], &[1, 16]);
    let mut table = Table::new([
        "MB",
        "offer blocks, ms",
        "transfer blocks, ms",
        "take blocks, ms",
        "no `PING`, ms",
        "in all, ms",
        "late, ms",
        "small, same queue: later, ms",
        "small, other queue: later, ms",
        "memory, x the payload",
    ]);
    let mut all = Vec::new();
    for size in sizes {
        let it = measure(*size)?;
        let arrival = match it.arrival {
            late if late.is_finite() => figure(late),
            _ => "did not arrive".to_owned(),
        };
        let beyond = |late: f64| figure((late - it.blocked).max(0.0));
        table.row([
            size.to_string(),
            figure(it.offer),
            figure(it.transfer),
            figure(it.take),
            figure(it.gap),
            figure(it.blocked),
            arrival,
            beyond(it.same_queue),
            beyond(it.same_client),
            figure(it.memory),
        ]);
        all.push((*size, it));
    }
    section.table(&table);
    let missing = all.iter().filter(|(_, it)| !it.arrival.is_finite()).count();
    section.target(
        "all large elements arrive",
        format!("{missing} missing"),
        missing == 0,
    );
    let of_64 = all.iter().find(|(size, _)| *size == 64);
    if let Some((_, it)) = of_64 {
        let late = it.same_client.max(it.same_queue) - it.blocked;
        let measured = format!("{} ms", figure(late.max(0.0)));
        section.target(
            "small elements beside 64 MB: at most 100 ms later",
            measured,
            late <= 100.0,
        );
        let measured = format!("{} x", figure(it.memory));
        section.target(
            "64 MB: memory at most 8 times the payload",
            measured,
            it.memory <= 8.0,
        );
    }
    Ok(section)
}

fn measure(megabytes: usize) -> Result<Figures> {
    let server = Server::start();
    let output = Command::new(env::current_exe()?)
        .args(["--large", &megabytes.to_string(), &server.url()])
        .output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    if !errors.is_empty() {
        eprintln!("{megabytes} MB: {errors}");
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Figures::from_line(text.lines().last().ok_or("no figures")?)
}
