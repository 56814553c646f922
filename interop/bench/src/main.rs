//! This crate beside Redisson and other queues, on the same Redis, in the same run.
//!
//! ```text
//! cargo run --release --manifest-path interop/bench/Cargo.toml -- [--quick] [--only NAME,...]
//! ```
//!
//! Each contender runs in a process of its own, takes turns with the others, and measures its rates
//! inside that process. The driver fills Redis, starts and asks the processes, reads what Redis and
//! the kernel count, prints tables and rewrites `docs/performance.md`. `interop/README.md` says
//! what is measured and how it may mislead.

use std::{env, error::Error, process::ExitCode};

use arguments::Task;
use document::Document;
use measure::{MEASURES, Plan};
use redisson_delayed_queue::Listing;
use service::{apalis::Apalis, own::Own, redissun::Redissun, sharded::Sharded};
use tokio::runtime::Runtime;

mod arguments;
mod contender;
mod document;
mod fill;
mod large;
mod machine;
mod measure;
mod monitor;
mod node;
mod plot;
mod rates;
mod rest;
mod section;
mod service;
mod stage;
mod statistics;
mod table;
mod topology;
mod usage;
mod value;
mod worker;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    match Task::parse(env::args().skip(1)).and_then(run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Result<()> {
    match task {
        Task::Serve { contender, url } => serve(&contender, &url),
        Task::Large { megabytes, url } => large::serve(megabytes, &url),
        Task::Measure { only, quick } => measure_all(&only, quick),
    }
}

fn serve(contender: &str, url: &str) -> Result<()> {
    let runtime = Runtime::new()?;
    let served = match contender {
        contender::OWN | contender::UNLISTED => {
            let listing = match contender {
                contender::UNLISTED => Listing::Unlisted,
                _ => Listing::Listed,
            };
            let own = runtime.block_on(Own::connect(url, listing));
            own.and_then(|own| service::serve(&runtime, contender, &own))
        }
        contender::SHARDED => {
            let sharded = runtime.block_on(Sharded::connect(url));
            sharded.and_then(|sharded| service::serve(&runtime, contender, &sharded))
        }
        contender::REDISSUN => {
            let redissun = runtime.block_on(Redissun::connect(url));
            redissun.and_then(|redissun| service::serve(&runtime, contender, &redissun))
        }
        contender::APALIS => {
            let apalis = runtime.block_on(Apalis::connect(url));
            apalis.and_then(|apalis| service::serve(&runtime, contender, &apalis))
        }
        _ => Err("--serve own, unlisted, sharded, redissun or apalis".into()),
    };
    served.map_err(|error| error as Box<dyn Error>)
}

fn measure_all(only: &[String], quick: bool) -> Result<()> {
    let unknown = only
        .iter()
        .find(|name| MEASURES.iter().all(|it| it.name != **name));
    if let Some(unknown) = unknown {
        let names: Vec<&str> = MEASURES.iter().map(|it| it.name).collect();
        return Err(format!("no measure {unknown}; there are {}", names.join(", ")).into());
    }
    let date = machine::date()?;
    let machine = machine::describe()?;
    println!("{machine}\n");
    let about = about(&machine, &date, quick);
    let mut document = Document::open(quick)?;
    let plan = Plan { quick };
    for measure in MEASURES {
        if !only.is_empty() && !only.iter().any(|name| name == measure.name) {
            continue;
        }
        println!("## {}\n", measure.title);
        let mut section = (measure.run)(&plan)?;
        section.finish();
        let how = document::wrapped(measure.about);
        let text = format!("## {}\n\n{how}\n\n{section}", measure.title);
        document.set(measure.name, text);
        // After each, so that a failure loses only what it concerns.
        document.write(&about, &section.plots)?;
    }
    Ok(())
}

fn about(machine: &str, date: &str, quick: bool) -> String {
    let quick = if quick {
        "**Small sizes and few rounds: these figures say nothing.** "
    } else {
        ""
    };
    let origin = format!(
        "{quick}{date}, {machine}. Written by `cargo run --release --manifest-path \
         interop/bench/Cargo.toml`; `interop/README.md` describes the method and how it may \
         mislead. Figures of several rounds are medians."
    );
    format!("{}\n\n{COLUMNS}", document::wrapped(&origin))
}

/// The columns that several tables have.
const COLUMNS: &str = "\
- *vs this crate* and *vs Redisson* divide the figure of a row by the figure of that library in the same run.
- CPU, commands and scripts are for each element. Commands include those that scripts run.
- Redis CPU is the time of Redis's main thread. The CPU of a process is counted in steps of 10 ms.
- The longest command is from the slow log of Redis, which records commands of 1 ms and more.
- Sentences on what Redis spends for each element are from `INFO commandstats`.";
