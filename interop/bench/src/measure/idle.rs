//! What an idle client costs, with one queue and with a thousand.

use std::time::Duration;

use super::{Measure, Plan, QUEUE};
use crate::{
    Result,
    contender::Contender,
    document,
    rest::Rest,
    section::Section,
    stage::Stage,
    table::{Table, figure, grouped},
};

pub(super) const MEASURE: Measure = Measure {
    name: "idle",
    title: "At rest",
    about: "What a process costs that has open queues in which nothing is pending. *Waited on* \
            means that a call waits for an element of each queue, *open* that none does. Redisson \
            and redissun need a connection for each waiting call, so they do not wait on the \
            thousand queues; this crate does. Commands are those that clients send, as `MONITOR` \
            shows them; `PING` and commands inside scripts do not count. CPU is in ms for each \
            second. Memory is the resident memory of the process, including heap that Java has not \
            returned.",
    run,
};

/// Some open queues of one process.
struct Case {
    contender: Contender,
    queues: usize,
    what: String,
    commands: Vec<String>,
}

fn run(plan: &Plan) -> Result<Section> {
    let mut section = Section::default();
    let queues = plan.choose(1_000, 100);
    let mut table = Table::new([
        "",
        "queues",
        "commands/s a queue",
        "sockets",
        "Redis CPU, ms/s",
        "process CPU, ms/s",
        "process memory, MB",
    ]);
    let mut failures = Vec::new();
    for case in cases(queues) {
        let name = case.contender.to_string();
        let rest = match rest(&case, plan) {
            Ok(rest) => rest,
            Err(error) if case.contender != Contender::Own => {
                let failure = format!(
                    "{name} with {} queues: {error}",
                    grouped(case.queues as i64)
                );
                failures.push(document::wrapped(&failure));
                table.row([name, case.what, "fails".to_owned()]);
                continue;
            }
            Err(error) => return Err(error),
        };
        let each = rest.commands / case.queues as f64;
        aim(&mut section, &case, each, &rest);
        table.row([
            name,
            case.what,
            figure(each),
            rest.sockets.to_string(),
            rest.a_second(rest.spent.redis),
            rest.a_second(rest.spent.processes),
            figure(rest.memory as f64 / 1e6),
        ]);
    }
    section.table(&table);
    for failure in failures {
        section.say(failure);
    }
    Ok(section)
}

fn cases(queues: usize) -> Vec<Case> {
    let mut cases = Vec::new();
    for contender in Contender::ALL {
        cases.push(Case {
            contender,
            queues: 1,
            what: "1, waited on".to_owned(),
            commands: vec![format!("open {QUEUE}"), format!("wait {QUEUE} 1")],
        });
    }
    let many = grouped(queues as i64);
    for contender in Contender::ALL {
        cases.push(Case {
            contender,
            queues,
            what: format!("{many}, open"),
            commands: vec![format!("open-many {QUEUE} {queues}")],
        });
    }
    cases.push(Case {
        contender: Contender::Own,
        queues,
        what: format!("{many}, waited on"),
        commands: vec![
            format!("open-many {QUEUE} {queues}"),
            format!("wait-many {QUEUE}"),
        ],
    });
    cases
}

fn rest(case: &Case, plan: &Plan) -> Result<Rest> {
    let mut stage = Stage::start()?;
    let mut worker = stage.worker(case.contender)?;
    for command in &case.commands {
        worker.done(command)?;
    }
    let window = Duration::from_secs(plan.choose(10, 2));
    Rest::watch(&mut stage, &mut worker, window)
}

fn aim(section: &mut Section, case: &Case, each: f64, rest: &Rest) {
    if case.contender != Contender::Own {
        return;
    }
    section.target(
        &format!("{}: at most 2 commands a second a queue", case.what),
        figure(each),
        each <= 2.0,
    );
    if case.queues > 1 {
        section.target(
            &format!("{}: at most 10 sockets", case.what),
            rest.sockets.to_string(),
            rest.sockets <= 10,
        );
    }
}
