//! What one large element costs Redis, the process, and the small ones beside it.

use std::{env, process::Command};

use interop::server::Server;

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
    about: "One element of so many MB is offered, transferred and taken, by a process and on a \
            Redis of their own, with default settings. Meanwhile the process offers two small \
            elements every 10 ms, one to the same queue and one to another. Blocked is the longest \
            command, in ms, of the offer, of the transfer, and of whatever brings the element to \
            the taker; then the longest time in which Redis did not answer a `PING` of another \
            connection, and all such times of more than 5 ms together. What small elements are \
            later than that, the library adds. Memory \
            is how much the process grew at the most, by the size of the payload, of which the \
            caller holds one.",
    run,
};

fn run(plan: &Plan) -> Result<Section> {
    let mut section = Section::default();
    let sizes: &[usize] = plan.choose(&[1, 16, 64, 256], &[1, 16]);
    let mut table = Table::new([
        "MB",
        "blocked: offer",
        "transfer",
        "take",
        "no answer to a `PING`",
        "in all",
        "arrived, ms late",
        "small of the queue, ms later than that",
        "small of another, ms later than that",
        "memory, times the payload",
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
    section.target("all arrive", format!("{missing} missing"), missing == 0);
    let of_64 = all.iter().find(|(size, _)| *size == 64);
    if let Some((_, it)) = of_64 {
        let late = it.same_client.max(it.same_queue) - it.blocked;
        let measured = format!("{} ms", figure(late.max(0.0)));
        section.target(
            "small ones beside 64 MB at most 100 ms later",
            measured,
            late <= 100.0,
        );
        let measured = format!("{} x", figure(it.memory));
        section.target(
            "64 MB: at most 8 times the payload",
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
